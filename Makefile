# make build   the program, build/pando
# make test    the tests, on the bundled traces
# make demo    what the program does, shown on a bundled trace
# make fuzz    every fuzz target for FUZZTIME (default 30s; or a number of inputs: 2000x)
# make bench   every benchmark
# make soak    all of it at full length; needs PANDO_TRACES, a folder of larger traces; records the result

FUZZTIME ?= 30s
SOURCES := $(shell find . -name '*.go' -not -path './build/*') go.mod go.sum
TRACE := internal/tracetest/testdata/otf2.mg.S.8.snapmark.tar.zst

.PHONY: build test demo fuzz bench soak clean

build: build/pando

build/pando: $(SOURCES)
	go build -o $@ ./cmd/pando

test:
	go test ./...

demo: build/pando
	rm -rf build/demo && mkdir -p build/demo
	build/pando convert $(TRACE) build/demo/mg.pando
	build/pando info build/demo/mg.pando
	build/pando window build/demo/mg.pando --from 96% --to +100us --limit 20
	build/pando export build/demo/mg.pando --to parquet --out build/demo/tables

fuzz:
	.ci/fuzz $(FUZZTIME)

bench:
	@bench/machine
	go test -run '^$$' -bench . -benchmem ./...

soak:
	FUZZTIME=$(if $(filter command line environment,$(origin FUZZTIME)),$(FUZZTIME),60s) bench/soak

clean:
	rm -rf build
