package recording

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/pandotrace/pando/record"
	"github.com/pandotrace/pando/trace"
)

// elsewhere are the recordings of a rank, and of one on another host, whose clock the first one asked at some moments.
func elsewhere(t testing.TB, moments ...moment) (one, two []byte) {
	t.Helper()
	one = small(t, record.Duration)
	two = bytes.Clone(one)
	two[36] = 1
	copy(two[256:256+hostSize], "node2\x00")
	for at, size := headSize, int(le.Uint32(one[16:])); at < len(one); at += size {
		if le.Uint32(one[at:]) != binDefinitions {
			continue
		}
		p := at + binHeader
		for one[p] == 1 {
			p += 8 + int(le.Uint32(one[p+4:]))
		}
		for _, m := range moments {
			b := binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint([]byte{1}, m.there), m.here), m.took)
			one[p], one[p+1] = 1, defineClock
			le.PutUint32(one[p+4:], uint32(len(b)))
			p += 8 + copy(one[p+8:], b)
		}
		return one, two
	}
	t.Fatal("no definitions")
	return nil, nil
}

// Whatever numbers the clocks of hosts have, times of a location do not go back, and nothing worse happens than an error or a warning.
func TestClocksOfAnyNumbers(t *testing.T) {
	corrected, refused := 0, 0
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 5))
		number := func() uint64 { return rng.Uint64() >> rng.IntN(64) }
		list := []moment{{number(), number(), 7}, {number(), number(), 7}}
		if seed%3 == 0 { // clocks of one rate, or nearly
			far := number() >> 2
			list[1] = moment{list[0].there + far, list[0].here + far + far>>(1+rng.IntN(10)), 7}
		}
		if seed%3 == 1 { // so far off that their numbers are rounded
			far := uint64(1) << (30 + rng.IntN(20))
			list[0] = moment{1<<62 + number()>>2, number() >> 1, 7}
			list[1] = moment{list[0].there + far, list[0].here + far - far>>(1+rng.IntN(10)), 7}
		}
		one, two := elsewhere(t, list[:1+rng.IntN(2)]...)
		for _, data := range [][]byte{one, two} {
			if rng.IntN(4) == 0 {
				le.PutUint64(data[80:], number()>>1) // the clock when the recording began
			}
		}
		a, err := inMemory(one, two)
		if err == nil {
			_, err = drain(a)
		}
		var e *trace.SourceError
		switch {
		case err != nil && !errors.As(err, &e):
			t.Fatalf("seed %d, %v: %v", seed, list, err)
		case err != nil:
			refused++
		case len(a.clocks.hosts) > 0:
			corrected++
		}
	}
	if corrected < 10 {
		t.Errorf("%d clocks are corrected, %d runs are refused", corrected, refused)
	}
}

// A clock that was asked but once has the rate of the times of day; one that was asked of a time that no clock has is not corrected.
func TestClockThatWasAskedOnce(t *testing.T) {
	one, two := elsewhere(t, moment{1000, 5_000_000, 7})
	for i, at := range []int{80, 104, 120} { // pairs: 1,000,000 ns in 2,000,000 ticks of its monotonic clock, which the first one's has in 1,000,000
		le.PutUint64(two[at:], uint64(1000+2_000_000*min(i, 1)))
		le.PutUint64(two[at+8:], uint64(7_000_000_000+1_000_000*min(i, 1)))
	}
	for _, data := range [][]byte{one, two} {
		le.PutUint32(data[44:], clockMonotonic)
	}
	a, err := inMemory(one, two)
	if err != nil {
		t.Fatal(err)
	}
	for there, here := range map[uint64]int64{1000: 5_000_000, 3000: 5_001_000, 2_001_000: 6_000_000, 0: 4_999_500} {
		if at := a.clocks.ticks(a.files[1], there); at != here {
			t.Errorf("tick %d is %d, not %d", there, at, here)
		}
	}
	if d := a.clocks.duration(a.files[1], 500); d != 250 {
		t.Errorf("500 ticks are %d", d)
	}
	one, two = elsewhere(t, moment{1 << 63, 5, 7})
	if a, err = inMemory(one, two); err != nil || len(a.clocks.hosts) != 0 || len(a.Warnings()) == 0 {
		t.Errorf("%d clocks, %v, %v", len(a.clocks.hosts), a.Warnings(), err)
	}
}
