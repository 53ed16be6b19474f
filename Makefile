# The commands of this repository. `make help` lists them.

# The standard library of older toolchains has known vulnerabilities; Go fetches
# this one as a module. The module itself builds with any Go from 1.26.
export GOTOOLCHAIN := go1.27.3
export CGO_ENABLED ?= 0

PROGRAMS := hcpx hcp hcpx-kit hound hop
VERSION  := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS  := -s -w -X bridle/internal/kernel/cli.version=$(VERSION)

.PHONY: help build demo test bench lint fuzz cross clean

help: ## list these commands
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-7s %s\n", $$1, $$2}'

build: ## build the programs into bin/
	@mkdir -p bin
	go build -trimpath -buildvcs=false -ldflags '$(LDFLAGS)' -o bin/ $(addprefix ./cmd/,$(PROGRAMS))

demo: build ## watch the tools at work on a throw-away store and project
	sh scripts/demo.sh

test: build ## everything that must hold before a change lands
	go run ./internal/ci

bench: ## run every benchmark
	go test -run '^$$' -bench . -benchmem ./...

lint: ## the formatter and the checkers only
	go run ./internal/ci format tidy vet staticcheck golangci-lint

fuzz: ## fuzz every decoder for a minute each (FUZZTIME=…)
	go run ./internal/ci -fuzztime $(or $(FUZZTIME),1m) fuzz

cross: ## check that the other platforms compile
	go run ./internal/ci cross

clean: ## remove what build made
	rm -rf bin
