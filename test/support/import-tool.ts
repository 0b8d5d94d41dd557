/** Loads a script of `tools/` as a module, with the shape that the test says it has (the scripts are plain JavaScript). */
export async function importTool<T>(name: string): Promise<T> {
  return (await import(new URL(`../../tools/${name}`, import.meta.url).href)) as T;
}
