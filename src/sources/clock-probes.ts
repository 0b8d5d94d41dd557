import { existsSync } from "node:fs";
import { askCommand, readChronyTracking, readNtpqVariables, readTimedatectl, type ClockProbe } from "./clock-evidence.ts";

const CHRONY_ARGS = ["-n", "-c", "tracking"];

/** systemd-timesyncd's directory, and the file that it makes once it has synchronized since boot. */
const TIMESYNC_DIRECTORY = "/run/systemd/timesync";

const askTimesyncd: ClockProbe = async () => {
  const flag = `${TIMESYNC_DIRECTORY}/synchronized`;
  const there = existsSync(flag);
  return {
    verdict: there ? "synchronized" : "unknown",
    told: `${flag} is ${there ? "there" : "not there"}`,
    absent: !existsSync(TIMESYNC_DIRECTORY),
  };
};

const askChrony: ClockProbe = (signal) => askCommand("chronyc", CHRONY_ARGS, readChronyTracking, signal);

const askNtpd: ClockProbe = (signal) => askCommand("ntpq", ["-c", "rv"], readNtpqVariables, signal);

const askKernel: ClockProbe = (signal) => askCommand("timedatectl", ["show", "-p", "NTPSynchronized", "--value"], readTimedatectl, signal);

/** On Oxide the clock is kept from inside a zone: chrony of the zone `oxz_ntp_UUID` is asked from the global zone. */
const askOxideNtpZone: ClockProbe = async (signal) => {
  let zone: string | undefined;
  const listed = await askCommand(
    "zoneadm",
    ["list"],
    (stdout) => {
      zone = stdout.split("\n").find((line) => /^oxz_ntp_[0-9a-f-]{36}$/.test(line));
      return "unknown";
    },
    signal,
  );
  if (zone === undefined)
    return { verdict: "unknown", told: listed.absent ? listed.told : "no NTP zone is running", absent: listed.absent };
  return askCommand("zlogin", [zone, "/usr/bin/chronyc", ...CHRONY_ARGS], readChronyTracking, signal);
};

/** The ways of asking, by platform. The first that knows is believed: a daemon itself before the kernel's flag that it sets. */
export function clockProbes(platform: NodeJS.Platform): readonly ClockProbe[] {
  return platform === "sunos" ? [askChrony, askOxideNtpZone, askNtpd] : [askTimesyncd, askChrony, askNtpd, askKernel];
}
