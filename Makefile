# Every target installs what it needs; `make check` alone assumes an installed checkout.
NODE_MODULES := node_modules/.package-lock.json
SOURCES := $(shell find src schemas openapi -type f 2>/dev/null)

.PHONY: up test check check-server gen bench build clean

up: build
	@exec node dist/bin/zonemeter.js up $(ARGS)

test: build
	npx --no-install vitest run $(ARGS)

build: dist/.built

dist/.built: $(NODE_MODULES) $(SOURCES) tsconfig.json tsconfig.build.json
	@rm -rf dist
	npx --no-install tsc -p tsconfig.build.json
	@chmod +x dist/bin/zonemeter.js
	@touch $@

$(NODE_MODULES): package.json package-lock.json
	npm ci --no-audit --no-fund
	@touch $@

check: build
	npx --no-install tsc -p tsconfig.json
	npx --no-install oxlint --deny-warnings src test tools
	npx --no-install oxfmt --check src test tools
	node tools/check-imports.mjs
	node tools/check-generated.mjs
	npx --no-install zonemeter schema check

# The store's tests against a ClickHouse server that holds nothing of worth: databases `oximeter` and `oximeter_internal` are dropped there.
check-server: build
	@test -n "$(URL)" || { echo "name a server: make check-server URL=http://user:password@host:8123" >&2; exit 2; }
	ZONEMETER_TEST_STORE="$(URL)" npx --no-install vitest run test/store/over-a-server.test.ts

gen: $(NODE_MODULES)
	node tools/generate.mjs

bench: build
	node bench/run.mjs $(ARGS)

clean:
	rm -rf dist
