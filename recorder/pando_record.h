/*
 * pando_record.h: a running C or C++ program writes its own trace, in memory of a fixed size. One header, no library.
 *
 *     #include "pando_record.h"
 *
 *     PANDO_REGION(solve, "solve");
 *
 *     int main(void) {
 *         pando_start(NULL);            // PANDO_DIR, PANDO_BUDGET, ... say where and how much
 *         pando_enter(&solve);
 *         ...
 *         pando_leave();
 *     }                                 // closed at exit; a program that is killed, or leaves by _exit, loses no call that has ended
 *
 * and then: pando convert run.d run.pando. With C++, PANDO_SCOPE("solve"); records the block that it stands in.
 *
 * The file is that of spec/recording/layout.md. Its memory is divided into bins; calls of like duration share bins, and when none is left, the bins of
 * the shortest calls are given up, or of others that the options say (PANDO_KEEP), or the oldest (PANDO_LAST), or recording stops (PANDO_STOP). All calls are counted in a profile. An event takes no
 * lock, no system call and no allocation but where a bin is full. Each thread records for itself, as a location of its own.
 *
 * It needs C99 or C++11, GCC or Clang, Linux, a little-endian machine, and -pthread before glibc 2.34. Functions are weak symbols, so that any number of files may
 * include it; all files of a process, shared libraries too, record together.
 *
 * What is recorded by a signal handler that came in between another event of its thread is counted as lost. A child of fork records nothing.
 */
#ifndef PANDO_RECORD_H
#define PANDO_RECORD_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* before the first system header; else compile with -D_GNU_SOURCE */
#endif

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "pando_record.h needs a little-endian machine"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what a program uses ---- */

enum { PANDO_KEEP = 1, PANDO_LAST = 2, PANDO_STOP = 3 };

/* Fields that are 0 mean the environment's variable, or the default. */
typedef struct pando_options {
	const char *dir;   /* PANDO_DIR, run.d: the folder of the run; its recording is RANK.pandorec */
	uint64_t budget;   /* PANDO_BUDGET, 64M: size of the recording, in bytes; at least 128 KiB */
	int mode;          /* PANDO_MODE, keep: keep, last or stop */
	int rank, ranks;   /* PANDO_RANK, PANDO_RANKS, or those of Open MPI, MPICH and Slurm: of the processes that record into the folder */
	uint64_t run;      /* PANDO_RUN: a number that all processes of the run share */
	int monotonic;     /* times from the system's clock, also where the processor's counter could be used */
	const char *reduce; /* PANDO_REDUCE, duration: which calls are given up first in mode keep; duration, level, occurrence, or "class:std::*; paradigm:mpi", see docs/record.md */
	const char *phases; /* PANDO_PHASES: of which regions only some calls are recorded, with all inside of them, to stand for the others: "step=every:10", see docs/record.md */
	const char *filter; /* PANDO_FILTER: which regions are recorded, see docs/record.md: "!std::*; !get?" leaves some out, "MPI_*; solve" all others */
	const char *counters; /* PANDO_COUNTERS: "instructions,page-faults", of the processor and the kernel, of each thread, read at enters and leaves; see docs/record.md */
	int prefault;      /* PANDO_PREFAULT: all memory is touched at the start, so that no event waits for a page */
} pando_options;

/* A region: what calls are of. Those with static storage are made by PANDO_REGION. The first event gives it its number. */
typedef struct pando_region {
	const char *name, *file;
	uint32_t line;
	uint8_t role, paradigm; /* numbers of OTF2; 1, 1: a function of the user */
	uint32_t number;        /* 0 before the region's first event. Then its number plus 1, in 22 bits; above are whether a filter leaves it out (1 bit), its class (5 bits), and its phase (4 bits) */
	uint64_t address;       /* of a function without a name here, which conversion finds, or of what has a name, whose line it finds; or 0 */
} pando_region;

typedef struct pando_metric {
	const char *name, *unit;
	uint32_t number; /* plus 1 */
} pando_metric;

/* A kind of markers: moments that the program names. severity: the number of OTF2, 0 for none, 1 low, 2 medium, 3 high. */
typedef struct pando_marker {
	const char *group, *category;
	uint8_t severity;
	uint32_t number; /* plus 1 */
} pando_marker;

#define PANDO_REGION(variable, name) static pando_region variable = {name, __FILE__, __LINE__, 1, 1, 0, 0}
#define PANDO_METRIC(variable, name, unit) static pando_metric variable = {name, unit, 0}
#define PANDO_MARKER(variable, group, category, severity) static pando_marker variable = {group, category, severity, 0}

/* Communicator 0 is that of all ranks of the run. */
enum { PANDO_WORLD = 0 };

/* pando_start begins the recording, and returns 0, or an errno; pando_error says more. It refuses a folder that holds a recording of this rank. Before it, and if it
   fails, events are ignored. */
int pando_start(const pando_options *options);
const char *pando_error(void);
/* pando_close ends it. exit and quick_exit do so, too; _exit, exec and signals do not, by which no call is lost that has ended. */
void pando_close(void);

/* pando_thread names the location of the calling thread, before its first event. */
void pando_thread(const char *name);

static inline void pando_enter(pando_region *region);
static inline void pando_leave(void);
static inline void pando_enter_at(pando_region *region, uint64_t ticks);
static inline void pando_leave_at(uint64_t ticks);

void pando_send(uint32_t communicator, uint32_t to, uint32_t tag, uint64_t bytes);
void pando_receive(uint32_t communicator, uint32_t from, uint32_t tag, uint64_t bytes);
void pando_collective_begin(void);
/* operation: the number of OTF2, 0 for a barrier, 11 for an allreduce; root: UINT32_MAX if there is none. */
void pando_collective_end(uint32_t operation, uint32_t communicator, uint32_t root, uint64_t sent, uint64_t received);
void pando_value(pando_metric *metric, uint64_t value);
/* pando_mark records a marker at this moment, with a text of at most 2,048 bytes. It is for what happens now and then: it takes a lock. Each text is kept once, and as long as the program runs; there
   may be 32,768 of them, in an eighth of the budget. Markers with other texts are left out, and counted. */
void pando_mark(pando_marker *marker, const char *text);
/* pando_event records an event of a kind of spec/v1/registry.md, but for those of calls and metrics: one word for each field, at most 100. */
void pando_event(uint16_t kind, const uint64_t *words, int n);
/* pando_communicator defines one, other than 0, by the ranks of its members in communicator 0. All processes use the same number for it. */
void pando_communicator(uint32_t number, const char *name, const uint32_t *members, size_t n);

/* pando_pause stops recording until pando_resume: calls that begin meanwhile are counted only, messages and other events are left out. Calls that had begun are recorded when they
   end. pando record ctl does the same from outside. */
void pando_pause(void);
void pando_resume(void);
int pando_paused(void);
/* pando_filter replaces the filter for calls that begin from now on. It returns 0, or an errno. */
int pando_filter(const char *rules);

/* pando_below is the duration in ticks of the shortest calls that are kept, apart from those with events inside; 0 if none were given up for their durations, UINT64_MAX if all were. */
uint64_t pando_below(void);

/* ---- the layout of the file ---- */

enum {
	pando_head = 4096, pando_bin_head = 32, pando_max_depth = 256, pando_protected = 64, pando_classes = 128,
	pando_list_metrics = pando_classes, pando_list_events, pando_lists,
	pando_bin_location = 1, pando_bin_profile, pando_bin_definitions, pando_bin_calls, pando_bin_events, pando_bin_metrics,
	pando_at_depth = 36, pando_at_left_markers = 40, pando_at_unmatched = 48, pando_at_deep = 56, pando_at_lost = 64, pando_at_frozen = 72,
	pando_at_host = 256, pando_at_filter = 2048, pando_max_filter = 1024, pando_at_attention = 1984, pando_at_steerable = 1988, pando_at_asked = 1992, pando_at_answered = 1996, pando_at_wanted = 2000,
	pando_at_paused = 2004, pando_at_changed = 2008, pando_at_rules = 3072, pando_at_stack = 96, pando_at_stopped = 96 + 256 * 24,
	pando_at_phases = 896, pando_at_classes = 1408, pando_text_size = 512, pando_region_mask = (1 << 22) - 1, pando_filtered_out = 1 << 22, pando_class_at = 23, pando_phase_at = 28, pando_max_phases = 15, pando_at_left_phases = 80, pando_at_left_events = 88,
	pando_by_duration = 0, pando_by_level, pando_by_class, pando_by_occurrence, pando_max_classes = 16,
	pando_max_name = 2048, pando_max_texts = 1 << 15, pando_text_share = 8, pando_channels = 1024, pando_max_channels = 768, pando_max_counters = 8, pando_clock_counting = 0, pando_max_record = 32, pando_max_pages = 4096, pando_max_table = 1 << 22, pando_clock_monotonic = 1, pando_clock_counter = 2
};

typedef struct pando_frame {
	uint64_t enter;
	uint32_t region, flags; /* flags: 1 if there was an event inside, 2 if the call is counted only; from 4 on, 5 bits for the class of the region */
	uint64_t children;      /* time of the calls inside, in ticks */
} pando_frame;

typedef struct pando_sums {
	uint64_t count, inclusive, exclusive;
} pando_sums;

/* Where the next record of a class goes. */
typedef struct pando_chain {
	unsigned char *at, *end; /* both NULL if there is no bin */
	uint64_t last;           /* time of the last record */
	int32_t bin;             /* -1: none */
	uint32_t region;         /* of the last call; UINT32_MAX in a new bin */
} pando_chain;

/* Ends of messages of a channel: how many were left out since the last one that is recorded. */
typedef struct pando_missing {
	uint64_t received, words[3], count; /* words: those of the events, the other rank, the communicator, the tag */
	uint64_t number, bin; /* of the next end, and the last bin of events that has its number, where ends are numbered */
	int used;
} pando_missing;

/* A record of an event that was written whole in the bin at hand: one like it is a tag and a time. */
enum { pando_whole_records = 128, pando_whole_words = 5, pando_no_record = 255, pando_repeat = 0x80 };
typedef struct pando_whole {
	uint64_t words[pando_whole_words], request; /* words: without the request; request: of the last record that repeats it, or of itself */
	uint16_t kind;
	uint8_t count; /* of words */
} pando_whole;

/* What one thread records. */
typedef struct pando_location {
	uint64_t last;         /* time of the last event: times strictly increase */
	uint32_t *attention;   /* the word of the head, at hand */
	uint32_t depth, floor; /* calls of lower classes are counted only */
	uint32_t by, classes;  /* which calls are given up first; how many classes of regions there are */
	uint32_t number;
	int off, no_metrics;   /* nothing, or no value of a metric, is kept any more */
	int paused;            /* it has told that it records nothing */
	uint32_t skipped;      /* depth, from 1, of the call of a phase that is left out with all inside of it; or 0 */
	uint64_t phases[16];   /* calls so far, by patterns for phases, from 1 */
	pando_missing *missing; /* a table of channels, NULL as long as no message was left out */
	int channels;          /* in the table; -1: there were too many, which is to be told; -2: it was */
	int numbered;          /* the oldest events are given up, so ends of messages have numbers: each bin of events has that of the first end of each channel */
	int counting;          /* 1 if counters of the thread are open, -1 if they cannot be */
	int counter[pando_max_counters]; /* their files: the first one's has the values of all */
	unsigned char *state;  /* the location's bin */
	pando_frame *stack;
	pando_chain calls[pando_classes], events, metrics;
	pando_sums *profile[pando_max_pages]; /* a page for each 1 << shift regions */
	uint8_t table[256];    /* places of whole records, by hash: two for each */
	uint64_t wholes, event_bin; /* how many the bin of events has, and its own number, from 1 */
	pando_whole whole[pando_whole_records]; /* the last of them */
} pando_location;

/* What the kernel counts of a thread. */
typedef struct pando_counter {
	char name[40];
	uint32_t type, metric;
	uint64_t config;
	int user; /* it counts what the program itself does, and not what the kernel does for it */
} pando_counter;

typedef struct pando_recorder {
	pthread_mutex_t lock; /* of what may change */
	int clock, kind, shift, mode, closed; /* clock: the kind of the clock, or pando_clock_counting */
	int counters; /* how many there are */
	pando_counter counter[pando_max_counters];
	unsigned char *mem;
	uint32_t bin, bins;
	int32_t *next; /* of each bin in its list */
	uint64_t *filled; /* time of the last record in a full bin */
	int32_t unused, full[pando_lists], tail[pando_lists];
	uint32_t floor, regions, metrics, locations, in_page; /* in_page: the lower bits of a region's number, its place in a page of the profile */
	uint32_t by, classes;
	uint64_t every[16]; /* how many calls there are for one that is recorded, by patterns for phases, from 1 */
	uint64_t horizon, stopped;
	int no_metrics;
	int64_t began, paired; /* when the clocks were compared first and last */
	unsigned char *definitions;
	uint32_t used, definition_bins;
	uint32_t markers, texts, text_bytes; /* how many are defined, and how large definitions of texts are */
	uint64_t *text_table; /* definitions of texts, by hash: where they are in the file, or 0; NULL before the first one */
	pthread_key_t key; /* ends a thread's location */
	uint32_t *attention; /* in the head: 0 unless 1: others ask for something, 2: calls are not as numbers of regions say, 4: the recording is closed */
	int paused, untold; /* untold: threads that have told that they are paused, and not yet that they go on */
	unsigned char *out, *table; /* out: by regions, whether they are left out; or NULL, and their numbers say so */
	char rules[pando_max_filter]; /* which numbers of regions know */
} pando_recorder;

#define PANDO_WEAK __attribute__((weak))
#define PANDO_SLOW __attribute__((weak, noinline, cold))

PANDO_WEAK pando_recorder *pando_it;          /* NULL unless there is a recording */
PANDO_WEAK __thread pando_location *pando_me; /* NULL before the thread's first event */
PANDO_WEAK __thread volatile int pando_busy;  /* the thread is in the middle of an event */
PANDO_WEAK __thread int pando_without;        /* there was no memory for the thread */
PANDO_WEAK char pando_message[256];
PANDO_WEAK uint32_t pando_always = 2;         /* the attention of locations that record nothing */

/* ---- clocks ---- */

static inline uint64_t pando_nanoseconds(clockid_t clock) {
	struct timespec t;
	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* PANDO_CLOCK() may be defined to be another clock, of nanoseconds. */
static inline uint64_t pando_now(const pando_recorder *r) {
#ifdef PANDO_CLOCK
	(void)r;
	return PANDO_CLOCK();
#else
#if defined(__x86_64__)
	if (r->clock == pando_clock_counter || r->kind == pando_clock_counter) return __builtin_ia32_rdtsc();
#endif
	(void)r;
	return pando_nanoseconds(CLOCK_MONOTONIC);
#endif
}

/* The kernel keeps time by the counter if it runs at one rate on all processors. */
static inline int pando_steady_counter(void) {
#if defined(__x86_64__) && !defined(PANDO_CLOCK)
	char source[4] = "";
	int f = open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);
	ssize_t n = f < 0 ? 0 : read(f, source, 3);
	if (f >= 0) close(f);
	return n == 3 && strcmp(source, "tsc") == 0;
#else
	return 0;
#endif
}

/* ---- numbers in the file ---- */

static inline void pando_put32(unsigned char *p, uint32_t v) { memcpy(p, &v, 4); }
static inline void pando_put64(unsigned char *p, uint64_t v) { memcpy(p, &v, 8); }
static inline uint32_t pando_get32(const unsigned char *p) {
	uint32_t v;
	memcpy(&v, p, 4);
	return v;
}
static inline const unsigned char *pando_read(const unsigned char *p, uint64_t *v) {
	int shift = 0;
	for (*v = 0; *p >= 0x80; shift += 7) *v |= (uint64_t)(*p++ & 0x7f) << shift;
	*v |= (uint64_t)*p++ << shift;
	return p;
}
static inline unsigned char *pando_varint(unsigned char *p, uint64_t v) {
	for (; v >= 0x80; v >>= 7) *p++ = (unsigned char)(v | 0x80);
	*p++ = (unsigned char)v;
	return p;
}

/* Readers see what was stored before the tag, or kind, or depth: they may be another process, or come after a kill. */
static inline void pando_publish8(unsigned char *at, unsigned char tag) { __atomic_store_n(at, tag, __ATOMIC_RELEASE); }
static inline void pando_publish32(unsigned char *at, uint32_t v) { __atomic_store_n((uint32_t *)(void *)at, v, __ATOMIC_RELEASE); }

static inline unsigned pando_log2(uint64_t v) { return 63u - (unsigned)__builtin_clzll(v); }

/* ---- bins; the recorder's lock is held ---- */

static inline unsigned char *pando_bin(const pando_recorder *r, int32_t bin) { return r->mem + pando_head + (size_t)bin * r->bin; }

/* pando_retire files a bin that was written to its end. */
PANDO_SLOW void pando_retire(pando_recorder *r, int32_t bin, int list, uint64_t last) {
	r->filled[bin] = last;
	r->next[bin] = -1;
	if (r->tail[list] < 0) r->full[list] = bin;
	else r->next[r->tail[list]] = bin;
	r->tail[list] = bin;
}

PANDO_SLOW void pando_release(pando_recorder *r, int32_t bin) {
	r->next[bin] = r->unused;
	r->unused = bin;
}

/* pando_splice makes a list of full bins free. */
PANDO_SLOW void pando_splice(pando_recorder *r, int list) {
	if (r->tail[list] < 0) return;
	r->next[r->tail[list]] = r->unused;
	r->unused = r->full[list];
	r->full[list] = r->tail[list] = -1;
}

PANDO_SLOW void pando_drop_metrics(pando_recorder *r) {
	r->no_metrics = 1;
	pando_put32(r->mem + 148, 1);
}

PANDO_SLOW void pando_raise(pando_recorder *r, uint32_t floor) {
	if (floor > r->floor) r->floor = floor;
	pando_put32(r->mem + 60, r->floor);
}

/* pando_give_up_oldest gives up the full bin whose last record is the oldest. */
PANDO_SLOW int pando_give_up_oldest(pando_recorder *r) {
	int oldest = -1;
	for (int list = 0; list < pando_lists; list++) {
		int32_t bin = r->full[list];
		if (bin >= 0 && (oldest < 0 || r->filled[bin] < r->filled[r->full[oldest]])) oldest = list;
	}
	if (oldest < 0) return 0;
	int32_t bin = r->full[oldest];
	r->full[oldest] = r->next[bin];
	if (r->full[oldest] < 0) r->tail[oldest] = -1;
	if (r->filled[bin] + 1 > r->horizon) r->horizon = r->filled[bin] + 1;
	pando_put64(r->mem + 64, r->horizon);
	pando_release(r, bin);
	return 1;
}

/* pando_give_up empties bins, and reports whether there are any now: values of metrics, then the class of the shortest calls. Calls with events inside stay. */
PANDO_SLOW int pando_give_up(pando_recorder *r) {
	if (r->mode == PANDO_LAST) return pando_give_up_oldest(r);
	if (r->mode != PANDO_KEEP) return 0;
	if (!r->no_metrics && r->full[pando_list_metrics] >= 0) {
		pando_drop_metrics(r);
		pando_splice(r, pando_list_metrics);
		return 1;
	}
	for (uint32_t class_ = r->floor; class_ < pando_protected; class_++) {
		if (r->full[class_] < 0) continue;
		pando_raise(r, class_ + 1);
		for (uint32_t lower = 0; lower <= class_; lower++) pando_splice(r, (int)lower);
		return 1;
	}
	return 0;
}

/* pando_take returns an empty bin, for which others are given up if need be, or -1. */
PANDO_SLOW int32_t pando_take(pando_recorder *r, uint32_t kind, uint32_t location, uint32_t class_, uint64_t base) {
	while (r->unused < 0)
		if (!pando_give_up(r)) return -1;
	int32_t bin = r->unused;
	unsigned char *b = pando_bin(r, bin);
	uint32_t generation = pando_get32(b + 12) + 1;
	r->unused = r->next[bin];
	pando_publish32(b, 0);
	pando_publish32(b + 12, generation);
	if (generation > 1) memset(b + pando_bin_head, 0, r->bin - pando_bin_head); /* a new file is zero: its pages are touched when they are written, one by one */
	pando_put32(b + 4, location);
	pando_put32(b + 8, class_);
	pando_put64(b + 16, base);
	pando_publish32(b, kind);
	return bin;
}

/* ---- what a location gives up ---- */

static inline int pando_void(const pando_recorder *r, int list) {
	return (list < pando_protected && (uint32_t)list < r->floor) || (list == pando_list_metrics && r->no_metrics);
}

/* pando_leave_bin ends the bin of a chain. */
static inline void pando_leave_bin(pando_chain *c) { c->at = c->end = NULL, c->bin = -1; }

/* pando_chain_of returns the chain whose full bins are in a list. */
static inline pando_chain *pando_chain_of(pando_location *l, int list) {
	return list < pando_classes ? &l->calls[list] : list == pando_list_events ? &l->events : &l->metrics;
}

PANDO_SLOW pando_chain *pando_oldest(pando_location *l) {
	pando_chain *oldest = NULL;
	for (int i = 0; i < pando_lists; i++) {
		pando_chain *c = pando_chain_of(l, i);
		if (c->bin >= 0 && (!oldest || c->last < oldest->last)) oldest = c;
	}
	return oldest;
}

/* pando_give_up_own gives up what the location itself is writing, when no bin is full any more. */
PANDO_SLOW int pando_give_up_own(pando_recorder *r, pando_location *l) {
	pando_chain *c = NULL;
	if (r->mode == PANDO_LAST && (c = pando_oldest(l))) {
		pando_retire(r, c->bin, pando_list_events, c->last);
		pando_leave_bin(c);
		return pando_give_up_oldest(r);
	}
	if (r->mode != PANDO_KEEP) return 0;
	if (l->metrics.bin >= 0 && !r->no_metrics) {
		pando_drop_metrics(r);
		c = &l->metrics;
	}
	for (uint32_t i = 0; !c && i < pando_protected; i++)
		if (l->calls[i].bin >= 0) {
			pando_raise(r, i + 1);
			c = &l->calls[i];
		}
	if (!c) return 0;
	pando_release(r, c->bin);
	pando_leave_bin(c);
	return 1;
}

/* pando_off has a location record nothing any more. */
static inline void pando_off(pando_location *l) { l->off = 1, l->floor = pando_classes; }

/* pando_freeze keeps which calls are open when nothing is recorded any more: no record will say so. */
PANDO_SLOW void pando_freeze(pando_location *l) {
	uint32_t depth = l->depth;
	if (l->off) return;
	if (depth > pando_max_depth) depth = pando_max_depth;
	pando_off(l);
	uint32_t n = 0;
	for (uint32_t i = 0; i < depth; i++) {
		if (l->stack[i].flags & 2) continue;
		pando_put64(l->state + pando_at_stopped + 16 * n, l->stack[i].enter);
		pando_put64(l->state + pando_at_stopped + 16 * n++ + 8, l->stack[i].region);
	}
	pando_publish32(l->state + pando_at_frozen, n);
}

/* pando_pair reads the recorder's clock and the time of day at about the same moment. */
PANDO_SLOW int64_t pando_pair(pando_recorder *r, unsigned char *at) {
	uint64_t best = UINT64_MAX, ticks = 0, real = 0;
	for (int i = 0; i < 5; i++) {
		uint64_t before = pando_now(r), t = pando_nanoseconds(CLOCK_REALTIME), after = pando_now(r);
		if (after - before < best) best = after - before, ticks = before + (after - before) / 2, real = t;
	}
	pando_put64(at, ticks);
	pando_put64(at + 8, real);
	return (int64_t)real;
}

/* pando_renew compares the clocks again, once a second, and more often at the begin. */
PANDO_SLOW void pando_renew(pando_recorder *r, int always) {
	int64_t since = (int64_t)pando_nanoseconds(CLOCK_REALTIME) - r->paired, wait = r->paired - r->began;
	if (!always && since < (wait < 1000000000 ? wait : 1000000000)) return;
	uint32_t slot = pando_get32(r->mem + 96) + 1;
	r->paired = pando_pair(r, r->mem + 104 + 16 * (slot % 2));
	pando_publish32(r->mem + 96, slot);
}

/* pando_stop declares that nothing is kept from a time on. The lock is held. */
static inline void pando_stop(pando_recorder *r, uint64_t t) {
	if (r->stopped) return;
	r->stopped = t;
	pando_put64(r->mem + 72, t);
}

/* pando_refill gives a chain another bin. It reports whether the record that ends at t may be written: not if its class was given up. */
PANDO_SLOW int pando_refill(pando_location *l, pando_chain *c, uint32_t kind, uint32_t class_, int list, uint64_t t) {
	pando_recorder *r = pando_it;
	int32_t bin = -1;
	int may = 0;
	pthread_mutex_lock(&r->lock);
	if (r->closed) {
		pando_off(l);
		goto done;
	}
	pando_renew(r, 0);
	if (c->bin >= 0) {
		if (pando_void(r, list)) pando_release(r, c->bin);
		else pando_retire(r, c->bin, list, c->last);
		pando_leave_bin(c);
	}
	while (!pando_void(r, list) && !r->stopped)
		if ((bin = pando_take(r, kind, l->number, class_, t)) >= 0 || !pando_give_up_own(r, l)) break;
	l->floor = r->floor;
	if (bin < 0) {
		if (kind == pando_bin_metrics) {
			pando_drop_metrics(r);
			l->no_metrics = 1;
		} else if (!pando_void(r, list)) {
			pando_stop(r, t);
		}
		if (r->stopped) pando_freeze(l);
	} else if (pando_void(r, list)) {
		pando_release(r, bin); /* given up for itself */
	} else {
		c->bin = bin, c->last = t, c->region = UINT32_MAX;
		c->at = pando_bin(r, bin) + pando_bin_head;
		c->end = pando_bin(r, bin) + r->bin - 1;
		may = 1;
	}
done:
	pthread_mutex_unlock(&r->lock);
	return may;
}

/* ---- definitions ---- */

static inline unsigned char *pando_text(unsigned char *p, const char *s) {
	size_t n = s ? strlen(s) : 0;
	if (n > pando_max_name) n = pando_max_name;
	p = pando_varint(p, n);
	if (n) memcpy(p, s, n);
	return p + n;
}

/* pando_define writes a definition: kind, length, content, and last the tag in front. It returns the definition, NULL if there is no room: readers call what is not defined by its number. */
PANDO_SLOW unsigned char *pando_define(pando_recorder *r, unsigned char kind, const unsigned char *content, const unsigned char *end) {
	uint32_t n = (uint32_t)(end - content);
	if (!r->definitions || r->used + 8 + n > r->bin) {
		int32_t bin = pando_take(r, pando_bin_definitions, 0, r->definition_bins, r->definition_bins);
		if (bin < 0) return NULL;
		r->definitions = pando_bin(r, bin);
		r->used = pando_bin_head;
		r->definition_bins++;
	}
	unsigned char *b = r->definitions + r->used;
	b[1] = kind;
	pando_put32(b + 4, n);
	memcpy(b + 8, content, n);
	pando_publish8(b, 1);
	r->used += 8 + n;
	return b;
}

/* pando_matches reports whether a name matches a pattern with * for any text and ? for one byte: at a mismatch, the last * takes one byte more. */
PANDO_SLOW int pando_matches(const char *p, size_t n, const char *name) {
	const char *end = p + n, *star = NULL, *taken = NULL;
	while (*name) {
		if (p < end && *p == '*') star = p++, taken = name;
		else if (p < end && (*p == '?' || *p == *name)) p++, name++;
		else if (star) p = star + 1, name = ++taken;
		else return 0;
	}
	while (p < end && *p == '*') p++;
	return p == end;
}

/* pando_pattern takes the next pattern of a list that is separated by semicolons, without the blanks around it. It returns 0 at the end. */
PANDO_SLOW int pando_pattern(const char **list, const char **p, const char **end) {
	while (**list) {
		size_t n = strcspn(*list, ";");
		*p = *list, *end = *list + n;
		*list = *end + (**end == ';');
		while (*p < *end && strchr(" \t\n", **p)) ++*p;
		while (*end > *p && strchr(" \t\n", (*end)[-1])) --*end;
		if (*p < *end) return 1;
	}
	return 0;
}

/* pando_filtered reports whether the rules of a filter leave a region out. The last one that matches counts; a name that matches none is recorded if the first one excludes. */
PANDO_SLOW int pando_filtered(const char *rules, const char *name) {
	int out = 0, first = 1;
	const char *p, *end;
	while (pando_pattern(&rules, &p, &end)) {
		int excludes = *p == '!';
		for (p += excludes; p < end && strchr(" \t\n", *p);) p++;
		if (first) out = !excludes, first = 0;
		if (pando_matches(p, (size_t)(end - p), name)) out = excludes;
	}
	return out;
}

/* pando_steer_regions asks the rules of the head for each region that is defined. */
PANDO_SLOW void pando_steer_regions(pando_recorder *r) {
	const char *rules = (const char *)r->mem + pando_at_filter;
	char name[2049];
	for (uint32_t i = 0; i < r->bins; i++) {
		const unsigned char *b = pando_bin(r, (int32_t)i), *end = b + r->bin;
		if (pando_get32(b) != pando_bin_definitions) continue;
		for (b += pando_bin_head; b + 8 < end && *b == 1; b += 8 + pando_get32(b + 4)) {
			const unsigned char *p = b + 8;
			uint64_t number, n;
			if (b[1] != 1) continue;
			p = pando_read(p, &number) + 2; /* role, paradigm */
			p = pando_read(pando_read(pando_read(p, &n), &n), &n); /* line, address, length of the name */
			memcpy(name, p, n);
			name[n] = 0;
			__atomic_store_n(r->table + number, n && pando_filtered(rules, name), __ATOMIC_RELAXED);
		}
	}
}

/* pando_set_rules puts rules into force. It returns 0, or ENOMEM. */
PANDO_SLOW int pando_set_rules(pando_recorder *r, const char *rules) {
	int as_begun = !strcmp(rules, r->rules);
	if (!as_begun && !r->table) {
		void *table = mmap(NULL, pando_max_table, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (table == MAP_FAILED) return ENOMEM;
		r->table = (unsigned char *)table;
	}
	memset(r->mem + pando_at_filter, 0, pando_max_filter);
	memcpy(r->mem + pando_at_filter, rules, strlen(rules));
	if (!as_begun) pando_steer_regions(r);
	__atomic_store_n(&r->out, as_begun ? NULL : r->table, __ATOMIC_RELEASE);
	return 0;
}

/* pando_heed has events look at what was asked for as long as anything is. */
PANDO_SLOW void pando_heed(pando_recorder *r) {
	if (r->paused || r->out || r->untold > 0) __atomic_fetch_or(r->attention, 2, __ATOMIC_RELEASE);
	else __atomic_fetch_and(r->attention, ~2u, __ATOMIC_RELEASE);
}

/* pando_obey does what is wanted: 1 a pause, 2 its end, 4 other rules. */
PANDO_SLOW int pando_obey(pando_recorder *r, uint32_t wanted, const char *rules) {
	int error = 0, filtered = r->mem[pando_at_filter] != 0;
	if (wanted & 3) __atomic_store_n(&r->paused, (int)(wanted & 1), __ATOMIC_RELAXED);
	if (wanted & 4) error = pando_set_rules(r, rules);
	pando_put32(r->mem + pando_at_paused, (uint32_t)r->paused);
	if (r->paused || filtered || r->mem[pando_at_filter]) pando_put32(r->mem + pando_at_changed, 1);
	pando_heed(r);
	return error;
}

/* pando_answer does what another process asks for. Only one thread comes to take the request. */
PANDO_SLOW void pando_answer(pando_recorder *r) {
	char rules[pando_max_filter];
	pthread_mutex_lock(&r->lock);
	if ((__atomic_fetch_and(r->attention, ~1u, __ATOMIC_ACQ_REL) & 1) && !r->closed) {
		memcpy(rules, r->mem + pando_at_rules, sizeof rules);
		rules[sizeof rules - 1] = 0;
		pando_obey(r, pando_get32(r->mem + pando_at_wanted), rules);
		pando_publish32(r->mem + pando_at_answered, pando_get32(r->mem + pando_at_asked));
	}
	pthread_mutex_unlock(&r->lock);
}

/* pando_steered does what a program itself wants. */
PANDO_SLOW int pando_steered(uint32_t wanted, const char *rules) {
	pando_recorder *r = pando_it;
	int error = EINVAL;
	if (!r || pando_busy) return error;
	pando_busy = 1;
	pthread_mutex_lock(&r->lock);
	if (!r->closed) error = pando_obey(r, wanted, rules);
	pthread_mutex_unlock(&r->lock);
	pando_busy = 0;
	return error;
}

PANDO_SLOW void pando_pause(void) { pando_steered(1, ""); }
PANDO_SLOW void pando_resume(void) { pando_steered(2, ""); }
PANDO_SLOW int pando_paused(void) { return pando_it && __atomic_load_n(&pando_it->paused, __ATOMIC_RELAXED); }
PANDO_SLOW int pando_filter(const char *rules) { return strlen(rules) < pando_max_filter ? pando_steered(4, rules) : E2BIG; }

/* pando_paradigm returns the paradigm that a pattern for classes of regions names, -1 if it is none, -2 if it is a pattern for names. */
PANDO_SLOW int pando_paradigm(const char *p, const char *end) {
	static const char *const names[] = {"user", "compiler", "openmp", "mpi"};
	int number = 0;
	if (end - p < 9 || memcmp(p, "paradigm:", 9) != 0) return -2;
	p += 9;
	for (int i = 0; i < 4; i++)
		if (strlen(names[i]) == (size_t)(end - p) && memcmp(names[i], p, (size_t)(end - p)) == 0) return i + 1;
	for (const char *q = p; q < end; q++)
		if (*q < '0' || *q > '9' || (number = 10 * number + *q - '0') > 255) return -1;
	return p < end ? number : -1;
}

/* pando_class_of returns the number of the first class that a region fits, from 1; 0 if it fits none. */
PANDO_SLOW uint32_t pando_class_of(const char *list, const pando_region *region) {
	const char *p, *end, *name = region->name ? region->name : "";
	for (uint32_t n = 1; pando_pattern(&list, &p, &end); n++) {
		int paradigm = pando_paradigm(p, end);
		if (paradigm >= 0 ? paradigm == region->paradigm : pando_matches(p, (size_t)(end - p), name)) return n;
	}
	return 0;
}

/* pando_rhythm takes a pattern for phases apart, NAME=every:N. It returns N, or 0, and the end of the name. */
PANDO_SLOW uint64_t pando_rhythm(const char *p, const char *end, const char **name_end) {
	const char *at = end - 7;
	uint64_t n = 0;
	while (at >= p && memcmp(at, "=every:", 7) != 0) at--;
	if (at < p) return 0;
	for (const char *q = at + 7; q < end; q++)
		if (*q < '0' || *q > '9' || (n = 10 * n + (uint64_t)(*q - '0')) > 1000000000) return 0;
	while (at > p && strchr(" \t\n", at[-1])) at--;
	*name_end = at;
	return at > p ? n : 0;
}

/* pando_phase_of returns the number of the first pattern for phases that a name fits, from 1; 0 if it fits none. */
PANDO_SLOW uint32_t pando_phase_of(const char *list, const char *name) {
	const char *p, *end, *name_end;
	for (uint32_t n = 1; pando_pattern(&list, &p, &end); n++)
		if (pando_rhythm(p, end, &name_end) && pando_matches(p, (size_t)(name_end - p), name)) return n;
	return 0;
}

/* pando_number gives a region its number. Calls of regions beyond four million are lost. */
PANDO_SLOW uint32_t pando_number(pando_region *region) {
	pando_recorder *r = pando_it;
	unsigned char content[4200], *p = content;
	pthread_mutex_lock(&r->lock);
	uint32_t number = __atomic_load_n(&region->number, __ATOMIC_RELAXED);
	if (!number && !r->closed && r->regions + 1 >= pando_region_mask) {
		number = pando_region_mask; /* of no region */
	} else if (!number && !r->closed) {
		p = pando_varint(p, r->regions);
		*p++ = region->role;
		*p++ = region->paradigm;
		p = pando_varint(p, region->line);
		p = pando_varint(p, region->address);
		p = pando_text(pando_text(p, region->name), region->file);
		pando_define(r, 1, content, p);
		number = ++r->regions;
		if (region->name && *region->name) {
			if (pando_filtered(r->rules, region->name)) number |= pando_filtered_out;
			number |= pando_phase_of((const char *)r->mem + pando_at_phases, region->name) << pando_phase_at;
			if (r->table) r->table[r->regions - 1] = (unsigned char)pando_filtered((const char *)r->mem + pando_at_filter, region->name);
		}
		number |= pando_class_of((const char *)r->mem + pando_at_classes, region) << pando_class_at;
		__atomic_store_n(&region->number, number, __ATOMIC_RELAXED);
	}
	pthread_mutex_unlock(&r->lock);
	return number;
}

PANDO_SLOW uint32_t pando_metric_number(pando_metric *metric) {
	pando_recorder *r = pando_it;
	unsigned char content[4200];
	pthread_mutex_lock(&r->lock);
	uint32_t number = __atomic_load_n(&metric->number, __ATOMIC_RELAXED);
	if (!number && !r->closed) {
		pando_define(r, 2, content, pando_text(pando_text(pando_varint(content, r->metrics), metric->name), metric->unit));
		number = ++r->metrics;
		__atomic_store_n(&metric->number, number, __ATOMIC_RELAXED);
	}
	pthread_mutex_unlock(&r->lock);
	return number;
}

PANDO_SLOW uint32_t pando_marker_number(pando_marker *marker) {
	pando_recorder *r = pando_it;
	unsigned char content[4200], *p;
	pthread_mutex_lock(&r->lock);
	uint32_t number = __atomic_load_n(&marker->number, __ATOMIC_RELAXED);
	if (!number && !r->closed) {
		p = pando_varint(content, r->markers);
		*p++ = marker->severity;
		pando_define(r, 15, content, pando_text(pando_text(p, marker->group), marker->category));
		number = ++r->markers;
		__atomic_store_n(&marker->number, number, __ATOMIC_RELAXED);
	}
	pthread_mutex_unlock(&r->lock);
	return number;
}

/* pando_text_place returns the place of a text in the table: that of its definition, whose number it tells, or an empty one. The lock is held. */
PANDO_SLOW uint64_t *pando_text_place(pando_recorder *r, const char *text, size_t n, uint64_t *number) {
	uint64_t h = n, length;
	for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)text[i]) * UINT64_C(0x9e3779b97f4a7c15);
	for (h >>= 32;; h++) {
		uint64_t *place = &r->text_table[h % (2 * pando_max_texts)];
		if (!*place) return place;
		const unsigned char *p = pando_read(pando_read(r->mem + *place + 8, number), &length);
		if (length == n && !memcmp(p, text, n)) return place;
	}
}

/* pando_text_number returns the number of a text of markers, which it defines if it is new; UINT64_MAX if there is no room for it. */
PANDO_SLOW uint64_t pando_text_number(pando_recorder *r, const char *text) {
	unsigned char content[2100], *p, *b = NULL;
	size_t n = strnlen(text, pando_max_name);
	uint64_t number = UINT64_MAX, *place;
	pthread_mutex_lock(&r->lock);
	if (!r->text_table) {
		void *table = mmap(NULL, 2 * pando_max_texts * sizeof *r->text_table, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (table != MAP_FAILED) r->text_table = (uint64_t *)table;
	}
	if (r->text_table && !*(place = pando_text_place(r, text, n, &number))) {
		p = pando_text(pando_varint(content, r->texts), text);
		uint64_t size = r->text_bytes + 8 + (uint64_t)(p - content), most = (pando_head + (uint64_t)r->bins * r->bin) / pando_text_share;
		if (!r->closed && r->texts < pando_max_texts && size <= most) b = pando_define(r, 16, content, p);
		number = b ? r->texts++ : UINT64_MAX;
		if (b) *place = (uint64_t)(b - r->mem), r->text_bytes = (uint32_t)size;
	}
	pthread_mutex_unlock(&r->lock);
	return number;
}

PANDO_SLOW void pando_communicator(uint32_t number, const char *name, const uint32_t *members, size_t n) {
	pando_recorder *r = pando_it;
	unsigned char content[4200];
	if (!r || pando_busy) return;
	pando_busy = 1;
	pthread_mutex_lock(&r->lock);
	if (!r->closed) pando_define(r, 3, content, pando_text(pando_varint(content, number), name));
	for (size_t i = 0; i < n && !r->closed;) {
		size_t some = n - i < 256 ? n - i : 256;
		unsigned char *p = pando_varint(pando_varint(content, number), some);
		for (; some > 0; some--) p = pando_varint(p, members[i++]);
		pando_define(r, 4, content, p);
	}
	pthread_mutex_unlock(&r->lock);
	pando_busy = 0;
}

/* ---- locations ---- */

/* pando_ended marks the location of a thread that ends, and files the bins that it was writing: others may need them. */
PANDO_SLOW void pando_ended(void *location) {
	pando_location *l = (pando_location *)location;
	pando_recorder *r = pando_it;
	pando_busy = 1;
	if (r) {
		pthread_mutex_lock(&r->lock);
		pando_publish32(l->state + pando_bin_head, 1);
		if (l->paused) {
			r->untold--;
			pando_heed(r);
		}
		for (int list = 0; list < pando_lists; list++) {
			pando_chain *c = pando_chain_of(l, list);
			if (c->bin >= 0 && pando_void(r, list)) pando_release(r, c->bin);
			else if (c->bin >= 0) pando_retire(r, c->bin, list, c->last);
		}
		pthread_mutex_unlock(&r->lock);
	}
	if (r && l->counting > 0)
		for (int i = 0; i < r->counters; i++) close(l->counter[i]);
	if (l->missing) munmap(l->missing, pando_channels * sizeof *l->missing);
	pando_me = NULL;
	pando_busy = 0;
	munmap(l, sizeof *l);
}

/* pando_lacks has the file tell that the calling thread is missing, from now on to the end. */
PANDO_SLOW void pando_lacks(pando_recorder *r) {
	pando_without = 1;
	pthread_mutex_lock(&r->lock);
	if (!r->closed) pando_stop(r, pando_now(r));
	pthread_mutex_unlock(&r->lock);
}

/* pando_join gives the calling thread a location, NULL if there is no memory. pando_busy is set. */
PANDO_SLOW pando_location *pando_join(const char *name) {
	pando_recorder *r = pando_it;
	if (__atomic_load_n(&r->closed, __ATOMIC_RELAXED) || pando_without) return NULL;
	/* malloc may be what a signal handler interrupted */
	pando_location *l = (pando_location *)mmap(NULL, sizeof *l, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned char content[2100], *p = content;
	char own[32];
	if (l == MAP_FAILED) {
		pando_lacks(r);
		return NULL;
	}
	for (int i = 0; i < pando_classes; i++) l->calls[i].bin = -1;
	l->events.bin = l->metrics.bin = -1;
	pthread_mutex_lock(&r->lock);
	l->number = r->locations;
	l->attention = r->attention;
	l->floor = r->floor;
	l->numbered = r->mode == PANDO_LAST;
	l->by = r->by;
	l->classes = r->classes;
	int32_t bin = r->closed ? -1 : pando_take(r, pando_bin_location, l->number, 0, l->number);
	if (bin >= 0) {
		l->state = pando_bin(r, bin);
		l->stack = (pando_frame *)(void *)(l->state + pando_at_stack);
		if (!name) {
			snprintf(own, sizeof own, "thread %u", l->number);
			name = l->number ? own : "main thread";
		}
		p = pando_text(pando_varint(p, r->locations++), name);
		pando_define(r, 5, content, p);
	}
	pthread_mutex_unlock(&r->lock);
	if (bin < 0) {
		pando_lacks(r);
		munmap(l, sizeof *l);
		return NULL;
	}
	pthread_setspecific(r->key, l);
	return pando_me = l;
}

PANDO_SLOW void pando_thread(const char *name) {
	if (!pando_it || pando_me || pando_busy) return;
	pando_busy = 1;
	pando_join(name);
	pando_busy = 0;
}

/* pando_counted adds 1 to a counter of the location's bin. */
static inline void pando_counted(pando_location *l, int at) {
	uint64_t *counter = (uint64_t *)(void *)(l->state + at);
	__atomic_store_n(counter, *counter + 1, __ATOMIC_RELAXED);
}

/* pando_begin returns the calling thread's location and makes it busy; NULL if there is nothing to be done: no recording, or the thread is in the middle of
   an event, so that this is a signal handler. */
static inline pando_location *pando_begin(void) {
	pando_location *l = pando_me;
	if (__builtin_expect(!pando_it, 0)) return NULL;
	if (__builtin_expect(pando_busy, 0)) {
		if (l) pando_counted(l, pando_at_lost);
		return NULL;
	}
	pando_busy = 1;
	if (__builtin_expect(!l, 0) && !(l = pando_join(NULL))) pando_busy = 0;
	return l;
}

static inline void pando_done(void) { pando_busy = 0; }

static inline uint64_t pando_step(pando_location *l, uint64_t t) { return l->last = t > l->last ? t : l->last + 1; }

static inline void pando_set_depth(pando_location *l, uint32_t depth) {
	l->depth = depth;
	pando_publish32(l->state + pando_at_depth, depth);
}

/* pando_region_of returns the number in the file of a region that has one. */
static inline uint32_t pando_region_of(uint32_t number) { return (number & pando_region_mask) - 1; }

/* pando_attention is 0 as long as calls and events are recorded as numbers of regions say. */
static inline uint32_t pando_attention(pando_location *l) { return __builtin_expect(__atomic_load_n(l->attention, __ATOMIC_RELAXED), 0); }

void pando_add(pando_location *l, int metric, uint16_t kind, const uint64_t *words, int n);
static inline void pando_protect(pando_location *l, uint16_t kind, const uint64_t *words, int n);

/* pando_tell records that the location was paused or resumed. */
PANDO_SLOW void pando_tell(pando_location *l) {
	pando_recorder *r = pando_it;
	uint64_t mode;
	int told;
	pthread_mutex_lock(&r->lock);
	told = l->paused == r->paused || r->closed;
	l->paused = r->paused;
	mode = l->paused ? 2 : 1;
	if (!told) {
		r->untold += l->paused ? 1 : -1;
		pando_heed(r);
	}
	pthread_mutex_unlock(&r->lock);
	if (!told && !l->off) pando_protect(l, 11, &mode, 1);
}

/* pando_attend does what attention asks for, and reports whether events are recorded: not in a pause, nor after the end. */
PANDO_SLOW int pando_attend(pando_location *l) {
	pando_recorder *r = pando_it;
	if (__atomic_load_n(r->attention, __ATOMIC_ACQUIRE) & 1) pando_answer(r);
	if (__atomic_load_n(&r->closed, __ATOMIC_RELAXED)) return 0;
	if (l->skipped) return 0;
	if (__atomic_load_n(&r->paused, __ATOMIC_RELAXED) != l->paused) pando_tell(l);
	return !l->paused;
}

/* pando_attended is the number of a region when attention is asked for, 0 after the end. */
PANDO_SLOW uint32_t pando_attended(pando_location *l, pando_region *region) {
	pando_recorder *r = pando_it;
	int on = pando_attend(l);
	if (__atomic_load_n(&r->closed, __ATOMIC_RELAXED)) return 0;
	uint32_t number = __atomic_load_n(&region->number, __ATOMIC_RELAXED);
	if (!number && !(number = pando_number(region))) return 0;
	if (!on) return number | pando_filtered_out;
	const unsigned char *out = __atomic_load_n(&r->out, __ATOMIC_ACQUIRE);
	if (!out) return number;
	return (number & ~(uint32_t)pando_filtered_out) | (uint32_t)__atomic_load_n(out + pando_region_of(number), __ATOMIC_RELAXED) * pando_filtered_out;
}

/* ---- counters ---- */

int pando_failed(int error, const char *what);

/* pando_counter_named finds what the kernel knows a counter by: its type and number. It returns 0 if there is none of the name. */
PANDO_SLOW int pando_counter_named(const char *name, size_t n, pando_counter *c) {
	static const char *const hardware[] = {"cycles", "instructions", "cache-references", "cache-misses", "branches", "branch-misses", "bus-cycles", "stalled-cycles-frontend", "stalled-cycles-backend", "ref-cycles"};
	static const char *const software[] = {"cpu-clock", "task-clock", "page-faults", "context-switches", "cpu-migrations", "minor-faults", "major-faults", "alignment-faults", "emulation-faults"};
	char *end;
	memset(c, 0, sizeof *c);
	if (n == 0 || n >= sizeof c->name - 2) return 0;
	memcpy(c->name, name, n);
	for (uint64_t i = 0; i < sizeof hardware / sizeof *hardware; i++)
		if (!strcmp(c->name, hardware[i])) return c->type = PERF_TYPE_HARDWARE, c->config = i, 1;
	for (uint64_t i = 0; i < sizeof software / sizeof *software; i++)
		if (!strcmp(c->name, software[i])) return c->type = PERF_TYPE_SOFTWARE, c->config = i, 1;
	c->type = PERF_TYPE_RAW, c->config = strtoull(c->name + 1, &end, 16); /* r01c0: a number of the processor's manual */
	return c->name[0] == 'r' && n > 1 && strspn(c->name + 1, "0123456789abcdefABCDEF") == n - 1;
}

/* pando_open_counter opens one of the calling thread: the first of a group, for -1, or one of the group. It returns its file, or -1. A group counts when it is enabled. */
PANDO_SLOW int pando_open_counter(const pando_counter *c, int group) {
	struct perf_event_attr a;
	memset(&a, 0, sizeof a);
	a.size = sizeof a;
	a.type = c->type, a.config = c->config;
	a.read_format = PERF_FORMAT_GROUP;
	a.exclude_kernel = c->user != 0, a.exclude_hv = 1, a.disabled = group < 0;
	return (int)syscall(SYS_perf_event_open, &a, 0, -1, group, PERF_FLAG_FD_CLOEXEC);
}

/* pando_open_counters opens all of the calling thread, as one group. It returns 0, or what is wrong with the first that cannot be opened. All begin to count at once: one that is added to a group that counts already may wait
 * for the next switch of the thread. */
PANDO_SLOW int pando_open_counters(pando_recorder *r, int *files, int *which) {
	for (*which = 0; *which < r->counters; ++*which) {
		pando_counter *c = &r->counter[*which];
		int f = pando_open_counter(c, *which ? files[0] : -1), error = errno;
		/* Without privileges, the kernel lets a process count itself, but nothing that happens in the kernel: switches and migrations would be 0. */
		if (f < 0 && (error == EACCES || error == EPERM) && !c->user && !(c->type == PERF_TYPE_SOFTWARE && (c->config == 3 || c->config == 4))) {
			c->user = 1;
			if ((f = pando_open_counter(c, *which ? files[0] : -1)) < 0) error = errno, c->user = 0;
		}
		if (f < 0) {
			for (int i = 0; i < *which; i++) close(files[i]);
			return error;
		}
		files[*which] = f;
	}
	if (r->counters > 0 && ioctl(files[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP) < 0) {
		int error = errno;
		for (int i = *which = 0; i < r->counters; i++) close(files[i]);
		return error;
	}
	return 0;
}

/* pando_choose_counters takes the names of counters, and opens them for a moment to see whether the kernel has them. */
PANDO_SLOW int pando_choose_counters(pando_recorder *r, const char *names) {
	int files[pando_max_counters], which, error;
	char what[160];
	r->counters = 0;
	while (*names) {
		size_t n = strcspn(names, ","), before = strspn(names, " ");
		if (before < n) {
			const char *name = names + before;
			size_t length = n - before;
			while (name[length - 1] == ' ') length--;
			snprintf(what, sizeof what, "counter %.*s", length < 40 ? (int)length : 40, name);
			if (r->counters == pando_max_counters) return pando_failed(E2BIG, "there may be 8 counters");
			if (!pando_counter_named(name, length, &r->counter[r->counters])) return pando_failed(EINVAL, what);
			r->counters++;
		}
		names += n + (names[n] == ',');
	}
	if ((error = pando_open_counters(r, files, &which))) {
		snprintf(what, sizeof what, "counter %s%s", r->counter[which].name, error == ENOENT || error == EOPNOTSUPP || error == ENODEV ? ": this machine has none (virtual machines often have not)"
			: error == EACCES || error == EPERM ? ": the kernel forbids it, see /proc/sys/kernel/perf_event_paranoid" : error == EINVAL && which > 0 ? ", with those before it: too many at once" : "");
		r->counters = 0;
		return pando_failed(error, what);
	}
	for (int i = 0; i < r->counters; i++) close(files[i]);
	if (r->counters > 0) r->clock = pando_clock_counting;
	return 0;
}

/* pando_define_counters defines their metrics; :u says that the kernel is not counted. */
PANDO_SLOW void pando_define_counters(pando_recorder *r) {
	unsigned char content[200];
	for (int i = 0; i < r->counters; i++) {
		pando_counter *c = &r->counter[i];
		char name[48];
		snprintf(name, sizeof name, "%s%s", c->name, c->user ? ":u" : "");
		c->metric = r->metrics++;
		pando_define(r, 10, content, pando_text(pando_text(pando_varint(content, c->metric), name), strstr(name, "-clock") ? "ns" : ""));
	}
}

/* pando_count reads the counters of the thread before an enter of a region, or before a leave: NULL. Calls that are left out have none. */
PANDO_SLOW void pando_count(pando_location *l, const pando_region *region) {
	pando_recorder *r = pando_it;
	uint64_t values[1 + pando_max_counters];
	int which;
	if (l->off || l->no_metrics || l->counting < 0 || (pando_attention(l) && !pando_attend(l))) return;
	if (region) {
		uint32_t number = __atomic_load_n(&region->number, __ATOMIC_RELAXED);
		const unsigned char *out = __atomic_load_n(&r->out, __ATOMIC_ACQUIRE);
		if (number && (out ? __atomic_load_n(out + pando_region_of(number), __ATOMIC_RELAXED) : number & pando_filtered_out)) return;
	} else if (l->depth - 1 >= pando_max_depth || l->stack[l->depth - 1].flags & 2) {
		return;
	}
	if (!l->counting) l->counting = pando_open_counters(r, l->counter, &which) ? -1 : 1;
	if (l->counting < 0 || read(l->counter[0], values, sizeof values) < (ssize_t)((1 + (size_t)r->counters) * sizeof *values)) {
		if (l->counting < 0) pando_counted(l, pando_at_lost);
		return;
	}
	for (int i = 0; i < r->counters; i++) {
		uint64_t words[4] = {r->counter[i].metric, 1, 4, values[1 + i]};
		if (!l->no_metrics) pando_add(l, 1, 31, words, 4);
	}
}

/* pando_clock is the time of an enter of a region, or of a leave: NULL. */
static inline uint64_t pando_clock(pando_location *l, const pando_region *region) {
#if defined(__x86_64__) && !defined(PANDO_CLOCK)
	if (__builtin_expect(pando_it->clock == pando_clock_counter, 1)) return __builtin_ia32_rdtsc();
#endif
	if (pando_it->counters > 0) pando_count(l, region);
	return pando_now(pando_it);
}

/* ---- calls ---- */

/* pando_begin_phase returns the number of a region of a phase whose call begins, and what becomes of it. */
PANDO_SLOW uint32_t pando_begin_phase(pando_location *l, uint32_t number) {
	uint32_t phase = number >> pando_phase_at;
	if (l->skipped || l->phases[phase]++ % pando_it->every[phase] == 0 || l->depth >= pando_max_depth) return number;
	l->skipped = l->depth + 1;
	l->attention = &pando_always;
	pando_counted(l, pando_at_left_phases);
	return number | pando_filtered_out;
}

static inline void pando_push(pando_location *l, pando_region *region, uint64_t t) {
	uint32_t number = __atomic_load_n(&region->number, __ATOMIC_RELAXED);
	if (pando_attention(l)) {
		if (!(number = pando_attended(l, region))) return;
	} else if (__builtin_expect(!number, 0)) {
		number = pando_number(region);
	}
	if (__builtin_expect(number >> pando_phase_at, 0)) number = pando_begin_phase(l, number);
	t = pando_step(l, t);
	if (l->depth < pando_max_depth) {
		pando_frame *f = &l->stack[l->depth];
		f->region = pando_region_of(number), f->flags = number >> 21 & ~1u, f->children = 0, f->enter = t;
	}
	pando_set_depth(l, l->depth + 1);
}

/* pando_page gives the profile memory for a region. */
PANDO_SLOW pando_sums *pando_page(pando_location *l, uint32_t region) {
	pando_recorder *r = pando_it;
	uint32_t page = region >> r->shift;
	int32_t bin = -1;
	pthread_mutex_lock(&r->lock);
	if (!r->closed && region < r->regions && page < pando_max_pages)
		while ((bin = pando_take(r, pando_bin_profile, l->number, page, page)) < 0 && pando_give_up_own(r, l)) {}
	if (bin >= 0) l->profile[page] = (pando_sums *)(void *)(pando_bin(r, bin) + pando_bin_head);
	else pando_counted(l, pando_at_lost);
	pthread_mutex_unlock(&r->lock);
	return bin >= 0 ? l->profile[page] : NULL;
}

/* What an enter and a leave do mostly calls nothing: whatever is seldom has functions of its own, which come last, so that values stay in registers. */

void pando_write_first(pando_location *l, uint32_t class_, uint32_t region, uint64_t t, uint64_t duration);

/* pando_write adds the innermost call to the chain of its class, and ends it. The record is a tag, the region if it is another than that of the record before, the time since that record, and the duration. */
static inline void pando_write(pando_location *l, uint32_t class_, uint32_t region, uint64_t t, uint64_t duration) {
	pando_chain *c = &l->calls[class_];
	if (__builtin_expect(c->end - c->at < pando_max_record, 0)) {
		pando_write_first(l, class_, region, t, duration);
		return;
	}
	uint64_t delta = t - c->last;
	unsigned n = pando_log2(delta | 1) >> 3, m = pando_log2(duration) >> 3, named = region != c->region; /* sizes less 1 */
	unsigned char tag = (unsigned char)(0x80 | named << 6 | m << 3 | n), *p = c->at + 1;
	*p = (unsigned char)region;
	if (__builtin_expect(region >= 0x80 && named, 0)) p = pando_varint(p, region);
	else p += named;
	pando_put64(p, delta);
	pando_put64(p + n + 1, duration);
	pando_publish8(c->at, tag);
	c->at = p + n + m + 2;
	c->last = t, c->region = region;
	pando_set_depth(l, l->depth - 1);
}

/* pando_write_first is pando_write for a call that needs another bin. */
PANDO_SLOW void pando_write_first(pando_location *l, uint32_t class_, uint32_t region, uint64_t t, uint64_t duration) {
	if (pando_refill(l, &l->calls[class_], pando_bin_calls, class_, (int)class_, t)) pando_write(l, class_, region, t, duration);
	else pando_set_depth(l, l->depth - 1);
}

/* pando_item returns the class of a call without events inside, but values of metrics, where calls are not given up by duration. Lower ones go first. */
static inline uint32_t pando_item(const pando_location *l, uint32_t depth, const pando_frame *f, uint32_t octave, uint64_t count) {
	const uint32_t last = pando_protected - 1;
	uint32_t class_ = f->flags >> 2 & 31;
	if (l->by == pando_by_level) return last - (depth < last ? depth : last);
	if (l->by == pando_by_occurrence) return last - pando_log2(count | 1);
	if (class_ > 0) return class_ - 1;
	return l->classes + octave < last ? l->classes + octave : last;
}

/* pando_sums_of returns the sums of a region, NULL if the profile has no page for it. */
static inline pando_sums *pando_sums_of(const pando_recorder *r, const pando_location *l, uint32_t region) {
	uint32_t page = region >> r->shift;
	pando_sums *s = page < pando_max_pages ? l->profile[page] : NULL;
	return s ? s + (region & r->in_page) : NULL;
}

/* pando_counted_by adds to one of the sums, which other processes may read meanwhile. */
static inline void pando_counted_by(uint64_t *sum, uint64_t n) { __atomic_store_n(sum, *sum + n, __ATOMIC_RELAXED); }

/* pando_end ends the call at depth d, whose region has sums, or NULL if they are lost. */
static inline __attribute__((always_inline)) void pando_end(pando_location *l, uint32_t d, pando_sums *s, uint64_t t) {
	pando_frame *f = &l->stack[d];
	t = pando_step(l, t);
	uint64_t duration = t - f->enter;
	uint32_t class_ = pando_log2(duration);
	if (s) {
		pando_counted_by(&s->count, 1);
		pando_counted_by(&s->inclusive, duration);
		pando_counted_by(&s->exclusive, duration - f->children);
	}
	if (d > 0) {
		f[-1].children += duration;
		f[-1].flags |= f->flags & 1;
	}
	class_ |= (f->flags & 1) * pando_protected;
	if (__builtin_expect(l->by, 0) && class_ < pando_protected) class_ = pando_item(l, d, f, class_, s ? s->count : 0);
	if (class_ >= l->floor && !(f->flags & 2)) {
		pando_write(l, class_, f->region, t, duration);
		return;
	}
	if (__builtin_expect(l->skipped == d + 1, 0)) l->skipped = 0, l->attention = pando_it->attention;
	pando_set_depth(l, d);
}

/* pando_odd_pop counts a leave of a call that was never entered, or that is too deep. */
PANDO_SLOW void pando_odd_pop(pando_location *l) {
	pando_counted(l, l->depth ? pando_at_deep : pando_at_unmatched);
	if (l->depth) pando_set_depth(l, l->depth - 1);
}

/* pando_pop_first is pando_pop for a region for which the profile has no page yet. */
PANDO_SLOW void pando_pop_first(pando_location *l, uint64_t t) {
	uint32_t d = l->depth - 1, region = l->stack[d].region;
	pando_end(l, d, pando_page(l, region) ? pando_sums_of(pando_it, l, region) : NULL, t);
}

static inline void pando_pop(pando_location *l, uint64_t t) {
	const pando_recorder *r = pando_it;
	uint32_t d = l->depth - 1;
	if (__builtin_expect(__atomic_load_n(&r->closed, __ATOMIC_RELAXED), 0)) return;
	if (__builtin_expect(d >= pando_max_depth, 0)) {
		pando_odd_pop(l);
		return;
	}
	pando_sums *s = pando_sums_of(r, l, l->stack[d].region);
	if (__builtin_expect(!s, 0)) pando_pop_first(l, t);
	else pando_end(l, d, s, t);
}

static inline void pando_enter_at(pando_region *region, uint64_t ticks) {
	pando_location *l = pando_begin();
	if (!l) return;
	pando_push(l, region, ticks);
	pando_done();
}

static inline void pando_leave_at(uint64_t ticks) {
	pando_location *l = pando_begin();
	if (!l) return;
	pando_pop(l, ticks);
	pando_done();
}

static inline void pando_enter(pando_region *region) {
	pando_location *l = pando_begin();
	if (!l) return;
	pando_push(l, region, pando_clock(l, region));
	pando_done();
}

static inline void pando_leave(void) {
	pando_location *l = pando_begin();
	if (!l) return;
	pando_pop(l, pando_clock(l, NULL));
	pando_done();
}

/* ---- events ---- */

/* pando_has_request reports whether the last word of an event is a request, which is new each time. */
static inline int pando_has_request(uint16_t kind, int n) { return kind >= 15 && kind <= 21 && kind != 18 && n > 0; }

/* pando_like returns the place of the record that an event is like, and how its request differs from the last one. Where there is none, the event is remembered, which has to be
   written whole then. */
PANDO_WEAK int pando_like(pando_location *l, uint16_t kind, const uint64_t *words, int n, uint64_t *request) {
	if (n > pando_whole_words) return pando_no_record;
	pando_whole w = {{0, 0, 0, 0, 0}, 0, kind, (uint8_t)n};
	for (int i = 0; i < n; i++) w.words[i] = words[i];
	if (pando_has_request(kind, n)) w.request = words[n - 1], w.words[n - 1] = 0;
	uint64_t h = ((uint64_t)kind << 8 | (uint64_t)n) + w.words[0] * UINT64_C(0x9e3779b97f4a7c15) + w.words[1] * UINT64_C(0xc2b2ae3d27d4eb4f) + w.words[2] * UINT64_C(0x165667b19e3779f9) +
	             w.words[3] * UINT64_C(0x85ebca77c2b2ae63) + w.words[4] * UINT64_C(0x27d4eb2f165667c5);
	uint8_t at = (uint8_t)(h * UINT64_C(0x9e3779b97f4a7c15) >> 56);
	for (int i = 0; i < 2 && l->table[(uint8_t)(at + i)] != pando_no_record; i++) {
		int place = l->table[(uint8_t)(at + i)];
		pando_whole *o = &l->whole[place];
		if (o->kind != kind || o->count != n || memcmp(o->words, w.words, sizeof w.words)) continue;
		uint64_t d = w.request - o->request;
		o->request = w.request;
		*request = d << 1 ^ (0 - (d >> 63));
		return place;
	}
	uint8_t next = (uint8_t)(l->wholes++ % pando_whole_records);
	if (l->table[at] != pando_no_record) at++;
	l->table[at] = next;
	l->whole[next] = w;
	return pando_no_record;
}

enum { pando_record_head = 3, pando_varint_size = 10 };

/* pando_make_room makes sure that the chain of events, or of values of metrics, has room for some bytes from a time on, and reports whether it has. */
PANDO_WEAK int pando_make_room(pando_location *l, int metric, uint64_t t, int need) {
	pando_chain *c = metric ? &l->metrics : &l->events;
	if (c->end - c->at >= need) return 1;
	if (!(metric ? pando_refill(l, c, pando_bin_metrics, 0, pando_list_metrics, t) : pando_refill(l, c, pando_bin_events, 0, pando_list_events, t))) return 0;
	if (!metric) {
		l->wholes = 0, l->event_bin++;
		memset(l->table, pando_no_record, sizeof l->table);
	}
	return 1;
}

/* pando_add_at writes a record of an event: tag, kind, time since the event before, words; or tag and time if kind and words are those of one before. */
PANDO_WEAK void pando_add_at(pando_location *l, int metric, uint64_t t, uint16_t kind, const uint64_t *words, int n) {
	pando_chain *c = metric ? &l->metrics : &l->events;
	if (!pando_make_room(l, metric, t, pando_record_head + pando_varint_size * (n + 1))) return;
	uint64_t request = 0;
	unsigned char *p = c->at + 1, tag = (unsigned char)(1 + n);
	int place = metric ? pando_no_record : pando_like(l, kind, words, n, &request);
	if (place != pando_no_record) {
		tag = (unsigned char)(pando_repeat | place);
		p = pando_varint(p, t - c->last);
		if (pando_has_request(kind, n)) p = pando_varint(p, request);
	} else {
		memcpy(p, &kind, 2);
		p = pando_varint(p + 2, t - c->last);
		for (int i = 0; i < n; i++) p = pando_varint(p, words[i]);
	}
	pando_publish8(c->at, tag);
	c->at = p;
	c->last = t;
}

/* pando_add writes an event that happens now. */
PANDO_WEAK void pando_add(pando_location *l, int metric, uint16_t kind, const uint64_t *words, int n) { pando_add_at(l, metric, pando_step(l, pando_now(pando_it)), kind, words, n); }

/* pando_end_of_message returns 1 for a kind of event that sends a message, 2 for one that receives it, and 0 for others. */
static inline int pando_end_of_message(uint16_t kind) { return kind == 14 || kind == 15 ? 1 : kind == 18 || kind == 19 ? 2 : 0; }

/* pando_channel finds the channel of the end of a message, or the place for it in the table. */
PANDO_SLOW pando_missing *pando_channel(pando_location *l, uint64_t received, const uint64_t *words) {
	uint64_t i = ((words[0] * 31 + words[1]) * 31 + words[2]) * 2 + received;
	for (i = i * UINT64_C(0x9e3779b97f4a7c15) >> 32;; i++) {
		pando_missing *m = &l->missing[i % pando_channels];
		if (!m->used || (m->received == received && !memcmp(m->words, words, sizeof m->words))) return m;
	}
}

/* pando_counted_channel returns the entry of a channel, which is counted from now on; NULL if there are too many. */
PANDO_WEAK pando_missing *pando_counted_channel(pando_location *l, uint64_t received, const uint64_t *words) {
	if (!l->missing) {
		void *table = mmap(NULL, pando_channels * sizeof *l->missing, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (table != MAP_FAILED) l->missing = (pando_missing *)table;
	}
	pando_missing *m = l->missing ? pando_channel(l, received, words) : NULL;
	if (!m || (!m->used && l->channels == pando_max_channels)) {
		l->channels = -1;
		return NULL;
	}
	if (!m->used) {
		m->used = 1, m->received = received;
		memcpy(m->words, words, sizeof m->words);
		l->channels++;
	}
	return m;
}

/* pando_leave_out counts an end of a message that is not recorded, by its channel. */
PANDO_SLOW void pando_leave_out(pando_location *l, uint16_t kind, const uint64_t *words, int n) {
	int end = pando_end_of_message(kind);
	if (!end || n < 3 || l->channels < 0) return;
	pando_missing *m = pando_counted_channel(l, (uint64_t)end - 1, words);
	if (m) m->count++, m->number++;
}

/* pando_tell_number records the number of the next end of a channel if it is the first one in its bin, or others were left out before. Behind it, the bin has room for an event of n words. */
PANDO_WEAK void pando_tell_number(pando_location *l, pando_missing *m, int n) {
	if (!pando_make_room(l, 0, l->last, 2 * pando_record_head + (6 + n + 2) * pando_varint_size)) return;
	if (m->count || m->bin != l->event_bin) {
		uint64_t told[6] = {m->received, m->words[0], m->words[1], m->words[2], m->count, m->number};
		pando_add_at(l, 0, l->last, 0, told, 6);
	}
	m->count = 0, m->bin = l->event_bin, m->number++;
}

/* pando_tell_missing records, before the end of a message, how many of its channel were left out since the last one, or its number. */
PANDO_WEAK void pando_tell_missing(pando_location *l, uint16_t kind, const uint64_t *words, int n) {
	int end = pando_end_of_message(kind);
	if (!end || n < 3 || l->channels == -2) return;
	pando_missing *m = NULL;
	if (l->numbered && l->channels >= 0 && (m = pando_counted_channel(l, (uint64_t)end - 1, words))) {
		pando_tell_number(l, m, n);
		return;
	}
	if (l->channels == -1) {
		l->channels = -2;
		pando_add_at(l, 0, l->last, 0, NULL, 0);
		return;
	}
	m = pando_channel(l, (uint64_t)end - 1, words);
	if (!m->used || !m->count) return;
	uint64_t told[5] = {m->received, words[0], words[1], words[2], m->count};
	m->count = 0;
	pando_add_at(l, 0, l->last, 0, told, 5);
}

/* pando_protect records an event, and marks the call around it. */
static inline void pando_protect(pando_location *l, uint16_t kind, const uint64_t *words, int n) {
	if (l->depth > 0) l->stack[(l->depth < pando_max_depth ? l->depth : (uint32_t)pando_max_depth) - 1].flags |= 1;
	pando_add(l, 0, kind, words, n);
}

/* pando_may reports whether an event is recorded, and counts one that a phase leaves out. */
static inline int pando_may(pando_location *l) {
	if (!pando_attention(l) || pando_attend(l)) return 1;
	if (l->skipped) pando_counted(l, pando_at_left_events);
	return 0;
}

/* pando_event records an event that protects the calls around it. */
PANDO_WEAK void pando_event(uint16_t kind, const uint64_t *words, int n) {
	pando_location *l = n < 0 || n > 100 ? NULL : pando_begin();
	if (!l) return;
	if (!pando_may(l)) {
		pando_leave_out(l, kind, words, n);
	} else if (!l->off) {
		if (__builtin_expect(l->channels | l->numbered, 0)) pando_tell_missing(l, kind, words, n);
		pando_protect(l, kind, words, n);
	}
	pando_done();
}

PANDO_WEAK void pando_send(uint32_t communicator, uint32_t to, uint32_t tag, uint64_t bytes) {
	uint64_t words[4] = {to, communicator, tag, bytes};
	pando_event(14, words, 4);
}

PANDO_WEAK void pando_receive(uint32_t communicator, uint32_t from, uint32_t tag, uint64_t bytes) {
	uint64_t words[4] = {from, communicator, tag, bytes};
	pando_event(18, words, 4);
}

PANDO_WEAK void pando_collective_begin(void) { pando_event(22, NULL, 0); }

PANDO_WEAK void pando_collective_end(uint32_t operation, uint32_t communicator, uint32_t root, uint64_t sent, uint64_t received) {
	uint64_t words[5] = {operation, communicator, root, sent, received};
	pando_event(23, words, 5);
}

/* pando_value records a value of a metric, of one unsigned number. Values of metrics are the first that are given up. */
PANDO_WEAK void pando_value(pando_metric *metric, uint64_t value) {
	pando_location *l = pando_begin();
	if (!l) return;
	uint32_t number = __atomic_load_n(&metric->number, __ATOMIC_RELAXED);
	if (!number) number = pando_metric_number(metric);
	if (pando_may(l) && number && !l->off && !l->no_metrics) {
		uint64_t words[4] = {number - 1, 1, 4, value};
		pando_add(l, 1, 31, words, 4);
	}
	pando_done();
}

PANDO_SLOW void pando_mark(pando_marker *marker, const char *text) {
	pando_location *l = pando_begin();
	if (!l) return;
	uint32_t number = __atomic_load_n(&marker->number, __ATOMIC_RELAXED);
	if (!number) number = pando_marker_number(marker);
	if (pando_may(l) && number && !l->off) {
		uint64_t words[2] = {number - 1, pando_text_number(pando_it, text)};
		if (words[1] == UINT64_MAX) pando_counted(l, pando_at_left_markers);
		else pando_protect(l, 646, words, 2); /* a kind of recordings only */
	}
	pando_done();
}

/* ---- begin and end ---- */

PANDO_WEAK const char *pando_error(void) { return pando_message; }

PANDO_SLOW int pando_failed(int error, const char *what) {
	snprintf(pando_message, sizeof pando_message, "pando: %s: %s", what, strerror(error));
	return error;
}

/* pando_size reads a size: 64M, 1GiB or a number of bytes; 0 if it is none. */
PANDO_SLOW uint64_t pando_size(const char *s) {
	char *end;
	unsigned long long n = strtoull(s, &end, 10);
	int shift = *end == 'k' || *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
	if (shift) end++;
	if (strcmp(end, "") != 0 && strcmp(end, "B") != 0 && strcmp(end, "iB") != 0) return 0;
	return n > UINT64_MAX >> shift ? 0 : (uint64_t)n << shift;
}

/* pando_first returns the first of some variables of the environment that is set, NULL if none is. */
PANDO_SLOW const char *pando_first(const char *const *names) {
	for (; *names; names++)
		if (getenv(*names)) return getenv(*names);
	return NULL;
}

/* pando_complete takes from the environment what the options do not say. It returns what is wrong, or NULL. */
PANDO_SLOW const char *pando_complete(pando_options *o) {
	static const char *const rank[] = {"PANDO_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID", NULL};
	static const char *const ranks[] = {"PANDO_RANKS", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS", NULL};
	const char *s;
	if (!o->dir && !(o->dir = getenv("PANDO_DIR"))) o->dir = "run.d";
	if (!o->budget) o->budget = (s = getenv("PANDO_BUDGET")) ? pando_size(s) : 64u << 20;
	if (!o->mode) {
		s = getenv("PANDO_MODE");
		o->mode = !s || !strcmp(s, "keep") ? PANDO_KEEP : !strcmp(s, "last") ? PANDO_LAST : !strcmp(s, "stop") ? PANDO_STOP : -1;
	}
	if (!o->ranks && (s = pando_first(ranks))) {
		o->ranks = atoi(s);
		if ((s = pando_first(rank))) o->rank = atoi(s);
	}
	if (!o->filter && !(o->filter = getenv("PANDO_FILTER"))) o->filter = "";
	if (!o->phases && !(o->phases = getenv("PANDO_PHASES"))) o->phases = "";
	if (!o->reduce && !(o->reduce = getenv("PANDO_REDUCE"))) o->reduce = "";
	if (strlen(o->filter) >= pando_max_filter) return "the filter has more than 1023 bytes";
	if (!o->counters && !(o->counters = getenv("PANDO_COUNTERS"))) o->counters = "";
	if (!o->run && (s = getenv("PANDO_RUN"))) o->run = strtoull(s, NULL, 10);
	if (!o->prefault && (s = getenv("PANDO_PREFAULT"))) o->prefault = atoi(s);
	if (o->budget < 128u << 10 || o->budget > (uint64_t)1 << 40) return "the budget is a size from 128K to 1024G";
	if (o->mode < PANDO_KEEP || o->mode > PANDO_STOP) return "the mode is keep, last or stop";
	if (o->rank < 0 || o->ranks < 0 || (o->rank > 0 && o->rank >= o->ranks)) return "the rank is not below the number of ranks";
	return NULL;
}

/* pando_order takes from the options which calls are given up first. It returns what is wrong, or NULL. */
PANDO_SLOW const char *pando_order(pando_recorder *r, pando_options *o) {
	const char *s = o->reduce, *list, *p, *end;
	o->reduce = "";
	r->classes = 0;
	r->by = !*s || !strcmp(s, "duration") ? pando_by_duration : !strcmp(s, "level") ? pando_by_level : !strcmp(s, "occurrence") ? pando_by_occurrence : pando_by_class;
	if (r->by == pando_by_class) {
		if (strncmp(s, "class:", 6) != 0) return "the reduction is duration, level, occurrence or class:PATTERNS";
		o->reduce = list = s + 6 + strspn(s + 6, " \t\n");
		while (pando_pattern(&list, &p, &end)) {
			if (pando_paradigm(p, end) == -1) return "paradigms of the reduction are user, compiler, openmp, mpi, or a number of OTF2";
			r->classes++;
		}
		if (!r->classes || r->classes > pando_max_classes) return "the reduction has 1 to 16 classes of regions";
		if (strlen(o->reduce) >= pando_text_size) return "the classes of the reduction have more than 511 bytes";
	}
	if (o->mode != PANDO_KEEP) r->by = r->classes = 0, o->reduce = "";
	return NULL;
}

/* pando_take_phases takes from the options which calls stand for others. It returns what is wrong, or NULL. */
PANDO_SLOW const char *pando_take_phases(pando_recorder *r, const pando_options *o) {
	const char *list = o->phases, *p, *end, *name_end;
	int n = 0;
	memset(r->every, 0, sizeof r->every);
	while (pando_pattern(&list, &p, &end)) {
		if (++n > pando_max_phases) return "there are more than 15 phases";
		if (!(r->every[n] = pando_rhythm(p, end, &name_end))) return "a phase is REGION=every:N, with a number from 1 to 1000000000";
	}
	return strlen(o->phases) < pando_text_size ? NULL : "the phases have more than 511 bytes";
}

/* pando_map makes a new file of a size and maps it. A store into a mapped file whose disk is full would kill the program, so it gets its space now: after a
   look whether the disk has it, since what is too much would fill it for a moment. */
PANDO_SLOW unsigned char *pando_map(const char *path, size_t size, int flags, int *error) {
	struct statvfs disk;
	void *mem = MAP_FAILED;
	int f = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (f < 0) {
		*error = errno;
		return NULL;
	}
	*error = fstatvfs(f, &disk) ? errno : (uint64_t)size > (uint64_t)disk.f_bavail * disk.f_frsize ? ENOSPC : posix_fallocate(f, 0, (off_t)size);
	if (!*error && (mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | flags, f, 0)) == MAP_FAILED) *error = errno;
	close(f);
	if (*error) {
		unlink(path);
		return NULL;
	}
	return (unsigned char *)mem;
}

/* pando_child runs in the child of a fork, whose stores would go into the recording of its parent. */
PANDO_SLOW void pando_child(void) { pando_it = NULL; }

/* pando_write_head writes the head of the file; the magic comes last. */
PANDO_SLOW void pando_write_head(pando_recorder *r, const pando_options *o) {
	unsigned char *m = r->mem;
	pando_put32(m + 8, 2); /* version */
	pando_put32(m + 12, pando_head);
	pando_put32(m + 16, r->bin);
	pando_put32(m + 20, r->bins);
	pando_put64(m + 24, o->run);
	pando_put32(m + 32, (uint32_t)getpid());
	pando_put32(m + 36, o->ranks ? (uint32_t)o->rank : UINT32_MAX);
	pando_put32(m + 40, (uint32_t)o->ranks);
	pando_put32(m + 44, (uint32_t)r->kind);
	pando_put32(m + 48, (uint32_t)r->mode);
	pando_put32(m + 52, r->by);
	uint64_t every = 0;
	for (int i = 0; i <= pando_max_phases; i++) every = r->every[i] > every ? r->every[i] : every;
	pando_put32(m + 140, (uint32_t)every);
	pando_put32(m + 144, r->classes);
	r->began = r->paired = pando_pair(r, m + 80);
	gethostname((char *)m + pando_at_host, 127);
	int f = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC); /* its first string is the program */
	if (f >= 0) {
		ssize_t n = read(f, m + 384, 511);
		size_t length = n > 0 ? strnlen((char *)m + 384, (size_t)n) : 0;
		memset(m + 384 + length, 0, 512 - length);
		close(f);
	}
	memcpy(m + pando_at_filter, o->filter, strlen(o->filter));
	memcpy(r->rules, o->filter, strlen(o->filter));
	r->attention = (uint32_t *)(void *)(m + pando_at_attention);
	pando_put32(m + pando_at_steerable, 1);
	memcpy(m + pando_at_classes, o->reduce, strlen(o->reduce));
	memcpy(m + pando_at_phases, o->phases, strlen(o->phases));
	__atomic_thread_fence(__ATOMIC_RELEASE);
	memcpy(m, "PANDOREC", 8);
}

/* pando_lay_out divides the file into bins: about 1,024 of 16 to 64 KiB. */
PANDO_SLOW int pando_lay_out(pando_recorder *r, const char *path, const pando_options *o) {
	int error = 0;
	for (r->bin = 16 << 10; r->bin < 64 << 10 && o->budget / r->bin > 1024;) r->bin *= 2;
	r->bins = (uint32_t)((o->budget - pando_head) / r->bin);
	r->shift = (int)pando_log2((r->bin - pando_bin_head) / sizeof(pando_sums));
	r->in_page = (1u << r->shift) - 1;
	r->next = (int32_t *)malloc(r->bins * sizeof *r->next);
	r->filled = (uint64_t *)malloc(r->bins * sizeof *r->filled);
	if (!r->next || !r->filled) return ENOMEM;
	for (uint32_t i = 0; i < r->bins; i++) r->next[i] = i + 1 < r->bins ? (int32_t)i + 1 : -1;
	for (int i = 0; i < pando_lists; i++) r->full[i] = r->tail[i] = -1;
	r->mem = pando_map(path, pando_head + (size_t)r->bins * r->bin, o->prefault ? MAP_POPULATE : 0, &error);
	return error;
}

#ifndef __cplusplus
int at_quick_exit(void (*function)(void)); /* of C11, which headers hide from C99 */
#endif

PANDO_WEAK int pando_start(const pando_options *options) {
	static pando_recorder recorder; /* each process has one */
	pando_recorder *r = &recorder;
	pando_options o;
	const char *wrong;
	char path[4096];
	int error;
	memset(&o, 0, sizeof o);
	if (options) o = *options;
	if (r->mem) return pando_failed(EALREADY, "a process records once");
	if ((wrong = pando_complete(&o)) || (wrong = pando_order(r, &o)) || (wrong = pando_take_phases(r, &o))) return pando_failed(EINVAL, wrong);
	if (mkdir(o.dir, 0755) && errno != EEXIST) return pando_failed(errno, o.dir);
	if (snprintf(path, sizeof path, "%s/%d.pandorec", o.dir, o.rank) >= (int)sizeof path) return pando_failed(ENAMETOOLONG, o.dir);
	r->mode = o.mode;
	r->clock = r->kind = !o.monotonic && pando_steady_counter() ? pando_clock_counter : pando_clock_monotonic;
	if ((error = pando_choose_counters(r, o.counters))) return error;
	if (!(error = pando_lay_out(r, path, &o)) && (error = pthread_key_create(&r->key, pando_ended))) {
		munmap(r->mem, pando_head + (size_t)r->bins * r->bin);
		r->mem = NULL;
		unlink(path);
	}
	if (error) {
		free(r->next), free(r->filled);
		return pando_failed(error, path);
	}
	pthread_mutex_init(&r->lock, NULL);
	pando_write_head(r, &o);
	if (r->counters > 0) pando_define_counters(r);
	pthread_atfork(NULL, NULL, pando_child);
	atexit(pando_close);
	at_quick_exit(pando_close);
	pando_it = r;
	return 0;
}

PANDO_WEAK void pando_close(void) {
	pando_recorder *r = pando_it;
	if (!r) return;
	pthread_mutex_lock(&r->lock);
	if (!r->closed) {
		pando_renew(r, 1);
		memcpy(r->mem + 152, r->mem + 104 + 16 * (pando_get32(r->mem + 96) % 2), 8); /* what comes later is not part of it */
		pando_publish32(r->mem + 56, 1);
		__atomic_store_n(&r->closed, 1, __ATOMIC_RELAXED);
		__atomic_fetch_or(r->attention, 4, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&r->lock);
}

PANDO_WEAK uint64_t pando_below(void) {
	pando_recorder *r = pando_it;
	uint64_t below = 0;
	if (!r) return 0;
	pthread_mutex_lock(&r->lock);
	if (r->floor >= pando_protected) below = UINT64_MAX;
	else if (r->floor > r->classes && (r->by == pando_by_duration || r->by == pando_by_class)) below = (uint64_t)1 << (r->floor - r->classes);
	pthread_mutex_unlock(&r->lock);
	return below;
}

#ifdef __cplusplus
}

/* PANDO_SCOPE records the block that it stands in. */
struct pando_scope {
	explicit pando_scope(pando_region &region) { pando_enter(&region); }
	~pando_scope() { pando_leave(); }
	pando_scope(const pando_scope &) = delete;
	pando_scope &operator=(const pando_scope &) = delete;
};
#define PANDO_JOINED_(a, b) a##b
#define PANDO_JOINED(a, b) PANDO_JOINED_(a, b)
#define PANDO_SCOPE(name)                                    \
	PANDO_REGION(PANDO_JOINED(pando_region_, __LINE__), name); \
	pando_scope PANDO_JOINED(pando_scope_, __LINE__)(PANDO_JOINED(pando_region_, __LINE__))
#endif

#endif
