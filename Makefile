# make build   the program, build/pando, as "go build" makes it: for work on it
# make release  the program as it is given away, build/release/pando: stripped, compiled by a profile, with its manual pages and completions
# make install  that, below PREFIX (default /usr/local): bin, share/man, completions for bash, zsh and fish, the header and the sources for recording (include, share/pando), and the file type for desktops
#              (run update-mime-database after it) and for file(1); DESTDIR goes before PREFIX
# make mpi     build/libpando-mpi.so, which records the MPI calls of programs that are not changed, with the compiler MPICC (default mpicc) of your MPI; docs/record.md
# make openmp  build/libpando-ompt.so, which LLVM's OpenMP runtime loads to record regions, tasks and waits, with CLANG (default clang)
# make uninstall  removes these files
# make test    the tests, on the bundled traces
# make fuzz    every fuzz target for FUZZTIME (default 30s; or a number of inputs: 2000x)
# make bench   every benchmark
# make readers  other programs read the tables of every trace in PANDO_TRACES; needs node and the packages of bench/duckdb
# make profile  renews the profile that releases are compiled by, bench/release.pgo; needs PANDO_TRACES
# make soak    all of it at full length, on from where it was stopped; needs PANDO_TRACES, a folder of larger traces; records the result

FUZZTIME ?= 30s
SOURCES := $(shell find . -name '*.go' -not -path './build/*') go.mod go.sum

PREFIX ?= /usr/local
ROOT := $(DESTDIR)$(PREFIX)
MAN := $(ROOT)/share/man
BASH := $(ROOT)/share/bash-completion/completions/pando
ZSH := $(ROOT)/share/zsh/site-functions/_pando
FISH := $(ROOT)/share/fish/vendor_completions.d/pando.fish
MIME := $(ROOT)/share/mime/packages/pando.xml
MAGIC := $(ROOT)/share/pando/pando.magic
HEADERS := $(ROOT)/include/pando_record.h $(ROOT)/include/pando_objects.h
MPI := $(ROOT)/share/pando/pando_mpi.c
SHARE := $(ROOT)/share/pando
RECORDERS := fortran/pando_record.f90 fortran/pando_fortran.c instrument/pando_instrument.c ompt/pando_ompt.c
MPICC ?= mpicc
CLANG ?= clang

.PHONY: build release mpi openmp install uninstall test fuzz bench readers profile soak clean

build: build/pando

build/pando: $(SOURCES)
	go build -o $@ ./cmd/pando

release:
	bench/release

build/pando_mpi.c: $(SOURCES) recorder/pando_record.h $(wildcard recorder/mpi/*.txt recorder/mpi/*.h)
	install -d build
	go run ./recorder/mpi > $@

mpi: build/pando_mpi.c
	$(MPICC) -shared -fPIC -O2 -o build/libpando-mpi.so build/pando_mpi.c

openmp:
	install -d build
	$(CLANG) -shared -fPIC -O2 -Irecorder -o build/libpando-ompt.so recorder/ompt/pando_ompt.c

install: release build/pando_mpi.c
	install -d "$(ROOT)/bin" "$(ROOT)/include" "$(MAN)/man1" "$(MAN)/man7" "$(dir $(BASH))" "$(dir $(ZSH))" "$(dir $(FISH))" "$(dir $(MIME))" "$(dir $(MAGIC))"
	install -m 755 build/release/pando "$(ROOT)/bin/pando"
	install -m 644 build/release/man/*.1 "$(MAN)/man1"
	install -m 644 build/release/man/*.7 "$(MAN)/man7"
	install -m 644 build/release/completions/bash "$(BASH)"
	install -m 644 build/release/completions/zsh "$(ZSH)"
	install -m 644 build/release/completions/fish "$(FISH)"
	install -m 644 spec/v1/media/pando.xml "$(MIME)"
	install -m 644 spec/v1/media/pando.magic "$(MAGIC)"
	install -m 644 recorder/pando_record.h recorder/pando_objects.h "$(ROOT)/include"
	install -m 644 build/pando_mpi.c "$(MPI)"
	install -m 644 $(RECORDERS:%=recorder/%) "$(SHARE)"

uninstall:
	rm -f "$(ROOT)/bin/pando" "$(MAN)"/man1/pando.1 "$(MAN)"/man1/pando-*.1 "$(MAN)"/man7/pando-*.7 "$(BASH)" "$(ZSH)" "$(FISH)" "$(MIME)" "$(MAGIC)" $(HEADERS:%="%") "$(MPI)" $(patsubst %,"$(SHARE)/%",$(notdir $(RECORDERS)))

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
