# The front door. Every target does the set-up that it needs; `make help` lists them.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
SQUALL := node harness/cli/squall.mjs
NODE_STAMP := node_modules/.package-lock.json

.PHONY: help gate test check rehearse bench stress torture clean-up

help: ## show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 16

$(NODE_STAMP): package.json package-lock.json
	@command -v node >/dev/null || { echo "make: node was not found; install Node.js 20.19 or newer, then run this again" >&2; exit 4; }
	@node -e 'const [a,b]=process.versions.node.split(".").map(Number); if (a<20||(a===20&&b<19)) { console.error("make: Node.js "+process.version+" is too old; install 20.19 or newer"); process.exit(4); }'
	npm ci --no-audit --no-fund --loglevel=error
	@touch $@

gate: $(NODE_STAMP) ## all set-up, then the quick gate: the shipped memberlist must leak and the old SMP agent stay stuck, the fixed ones must not
	$(SQUALL) gate --quick --yes

test: $(NODE_STAMP) ## all set-up, then every test (unit, Go, real containers); ends with "N passed, N failed"
	$(SQUALL) engine start --yes
	@harness/testing/install-chromium.sh
	@harness/testing/install-faketime.sh
	node --import tsx harness/testing/run.ts

check: $(NODE_STAMP) ## types, lint, import direction, unit tests; no engine, under a minute
	node_modules/.bin/tsc -p .
	node_modules/.bin/biome check --error-on-warnings
	node --import tsx harness/imports.ts
	node --import tsx harness/testing/run.ts unit

rehearse: $(NODE_STAMP) ## the real smoke: ant-node 0.22.0 against 0.23.1, built from the crate when it is not yet
	$(SQUALL) engine start --yes
	$(SQUALL) images build ant-node:0.22.0 ant-node:0.23.1
	$(SQUALL) rehearse topologies/ant-join-smoke.yaml --baseline ant-node:0.22.0 --candidate ant-node:0.23.1 --most-waves 10

bench: $(NODE_STAMP) ## measures side by side in one run; table on the console, JSON in reports/bench/latest.json
	$(SQUALL) engine start --yes
	node --import tsx harness/bench/main.ts

stress: $(NODE_STAMP) ## kills the harness at 30 random moments and looks for what is left, and for how long; bisects over images ten times of ten
	$(SQUALL) engine start --yes
	SQUALL_KILLS_PER_STAGE=6 npx mocha --timeout 3600000 harness/torture/test/killed.engine.ts
	SQUALL_BISECTIONS=10 npx mocha --timeout 3600000 harness/session/test/bisect.engine.ts

torture: $(NODE_STAMP) ## about two hours: kills, engine crashes, full disks, stopped clocks, hostile input; goes on where it stopped. ARGS="--times 2" for less
	$(SQUALL) engine start --yes
	@harness/testing/install-faketime.sh
	node --import tsx harness/torture/main.ts $(ARGS)

clean-up: $(NODE_STAMP) ## remove what runs that are gone have left behind
	$(SQUALL) sweep
