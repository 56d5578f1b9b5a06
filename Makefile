# The commands of this repository. `make test` needs Go and nothing else.

# Empty outside a repository: the program then calls itself dev.
VERSION    ?= $(shell git describe --tags --always --dirty 2>/dev/null | sed 's/^v//')
BUILT      ?= $(shell git log -1 --format=%cs 2>/dev/null)
LDFLAGS    := -s -w -X main.version=$(VERSION) -X main.built=$(BUILT)
# Release 2026.2.2.
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
FUZZTIME   ?= 5s
SIMULATED  ?= 1000
SEED       ?= 20261122
PLATFORMS  := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
EVAL_DIR   ?= ../shared/eval
EVAL_FLAGS ?=
SPEED_FLAGS ?=

# The program is built without C, everywhere and always; only the race detector needs it.
export CGO_ENABLED = 0

.PHONY: help test test-postgres simulate check fmt vet staticcheck arch race fuzz build cross bench bench-speed bench-models speed eval conformance agents demo picture changelog texts clean

help: ## list the commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

# The packages that take longest begin first, so that none of them is left to run alone at the end.
test: ## the whole suite
	go test ./internal/sqlite/... ./internal/engine/... ./cmd/engram ./...

test-postgres: ## what runs on a real Postgres, the program's scripts and the engine's tests in spaces of their own
	ENGRAM_TEST_POSTGRES=require go test ./internal/postgres/... ./internal/postgrestest
	ENGRAM_TEST_POSTGRES=require ENGRAM_TEST_SCRIPTS=postgres go test -timeout 20m ./cmd/engram -run Postgres
	ENGRAM_TEST_POSTGRES=require ENGRAM_TEST_STORE=postgres go test -timeout 20m ./internal/engine/...

simulate: ## replicas live through SIMULATED random histories, and end with the same
	go test -count=1 -timeout 60m ./internal/replica/replicatest -run TestReplicasComeTogether -histories $(SIMULATED) -seed $(SEED) -v

check: fmt vet staticcheck arch race fuzz speed ## what a change must pass: linters, the arrows, the suite under the race detector, a short fuzz

fmt:
	@bad="$$(gofmt -l $$(find . -name '*.go' -not -path './.*'))"; \
	if [ -n "$$bad" ]; then echo "gofmt would change:"; echo "$$bad"; exit 1; fi

vet:
	go vet ./...

staticcheck:
	go run $(STATICCHECK) ./...

arch: ## the arrows between packages, and how large they are
	go test -count=1 .
	@go test -count=1 -v -run '^TestBars$$' . | sed -n 's/^ *arch_size_test.go:[0-9]*: //p'

# Without a C compiler the suite still runs, without the detector, and says so.
race:
	@if command -v "$$(go env CC)" >/dev/null 2>&1; then \
		echo "CGO_ENABLED=1 go test -race -timeout 20m ./..."; CGO_ENABLED=1 go test -race -timeout 20m ./...; \
	else \
		echo "no C compiler ($$(go env CC)): the race detector cannot run; on Debian: apt-get install gcc libc6-dev"; \
		go test ./...; \
	fi

fuzz: ## every fuzz target for FUZZTIME (5s)
	@grep -rHoE --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*' . | sed 's/:func /:/' | sort | while IFS=: read -r file target; do \
		echo "fuzz $$target in $$(dirname "$$file")"; \
		go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "$$(dirname "$$file")" || exit 1; \
	done

build: ## bin/engram
	go build -trimpath -ldflags '$(LDFLAGS)' -o bin/engram ./cmd/engram

cross: ## dist/ for every platform
	@for p in $(PLATFORMS); do \
		os=$${p%/*}; arch=$${p#*/}; ext=; [ "$$os" = windows ] && ext=.exe; \
		echo "dist/engram-$$os-$$arch$$ext"; \
		GOOS=$$os GOARCH=$$arch go build -trimpath -ldflags '$(LDFLAGS)' -o "dist/engram-$$os-$$arch$$ext" ./cmd/engram || exit 1; \
	done

bench: ## the benchmarks
	go test -run '^$$' -bench . -benchmem ./...

bench-speed: build ## CPU of the built program beside bleve, FTS5 and others; SPEED_FLAGS='-against OLD_BINARY -only save'
	go build -C bench/speed -trimpath -ldflags '-s -w' -o ../../bin/speed/ ./...
	bin/speed/speed -labels '$(EVAL_DIR)' $(SPEED_FLAGS)

bench-models: ## vectors and CPU of the encoder beside ONNX Runtime, on random weights in real shapes; needs Node and once a network
	cd bench/models && npm install --ignore-scripts --no-package-lock --no-audit --no-fund --silent
	GOMAXPROCS=1 go test -count=1 -timeout 30m -v -run '^TestBesideONNXRuntime$$' ./internal/encoder -onnxruntime '$(CURDIR)/bench/models'

# A module of its own, which needs a network once.
speed:
	go vet -C bench/speed ./...
	go test -C bench/speed ./...

eval: build ## retrieval quality and speed of the built program; EVAL_FLAGS='--queries queries-kw3.jsonl --against mode=fts'
	bin/engram eval '$(EVAL_DIR)' $(EVAL_FLAGS)

conformance: build ## the protocol's public suite and inspector against the built program; needs Node and a network
	cd conformance && npm install --no-audit --no-fund --silent && node run.mjs ../bin/engram

agents: build ## real agents, wired by setup and run on a scripted model; needs Node, npm and once a network
	cd agents && npm install --no-package-lock --no-audit --no-fund --silent && node run.mjs ../bin/engram

demo: ## two agent sessions over MCP on a throw-away database
	go run ./cmd/engram demo

picture: build ## docs/terminal.svg and docs/tui.svg, recorded from the program
	sh cmd/engram/terminal.sh bin/engram > docs/terminal.svg.new && mv docs/terminal.svg.new docs/terminal.svg
	go test -count=1 ./cmd/engram -run TestTUIIsRecorded -picture '$(CURDIR)/docs/tui.svg'

changelog: ## CHANGELOG.md, from changelog/unreleased
	go test -count=1 . -run TestChangelogIsAssembled -update

texts: ## bin/texts.txt: every user-facing text (help, tools, hooks, errors, hints), to be read in one sitting
	@mkdir -p bin
	go test -count=1 . -run TestWordsInTexts -texts bin/literals.txt
	@{ go run ./cmd/engram help all; cat docs/cli-commands.md; \
		for f in $$(git ls-files 'internal/**.md' 'plugin/**.md' 'plugin/**.ts'); do printf '\n=== %s\n\n' "$$f"; cat "$$f"; done; \
		printf '\n=== errors, hints, warnings and other texts in the code\n\n'; cat bin/literals.txt; } > bin/texts.txt
	@rm bin/literals.txt; wc bin/texts.txt

clean:
	rm -rf bin dist
