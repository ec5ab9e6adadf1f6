# make build   the program, build/pando, as "go build" makes it: for work on it
# make release  the program as it is given away, build/release/pando: stripped, compiled by a profile, with its manual pages
# make test    the tests, on the bundled traces
# make fuzz    every fuzz target for FUZZTIME (default 30s; or a number of inputs: 2000x)
# make bench   every benchmark
# make readers  other programs read the tables of every trace in PANDO_TRACES; needs node and the packages of bench/duckdb
# make profile  renews the profile that releases are compiled by, bench/release.pgo; needs PANDO_TRACES
# make soak    all of it at full length, on from where it was stopped; needs PANDO_TRACES, a folder of larger traces; records the result

FUZZTIME ?= 30s
SOURCES := $(shell find . -name '*.go' -not -path './build/*') go.mod go.sum

.PHONY: build release test fuzz bench readers profile soak clean

build: build/pando

build/pando: $(SOURCES)
	go build -o $@ ./cmd/pando

release:
	bench/release

test:
	go test ./...

fuzz:
	.ci/fuzz $(FUZZTIME)

bench:
	@bench/machine
	go test -run '^$$' -bench . -benchmem ./...

readers: build/pando
	bench/duckdb/run build/pando

profile:
	bench/profile

soak:
	FUZZTIME=$(if $(filter command line environment,$(origin FUZZTIME)),$(FUZZTIME),15s) bench/soak

clean:
	rm -rf build
