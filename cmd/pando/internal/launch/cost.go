package launch

import (
	"errors"
	"math"
	"os"
	"runtime"
	"time"

	"github.com/pandotrace/pando/convert/recording"
	"github.com/pandotrace/pando/internal/report/lost"
	"github.com/pandotrace/pando/record"
)

// Cost tells what recordings cost the program that made them: calls by their profiles, and what an event takes on this machine now, with counters by their names if there are any.
func Cost(recordings []string, counters string) (*lost.Recorded, error) {
	a, err := recording.Open(recordings...)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	list, err := a.Processes()
	if err != nil {
		return nil, err
	}
	each, err := eventTime(counters)
	if err != nil {
		return nil, err
	}
	r := &lost.Recorded{EventNs: float64(each) / float64(time.Nanosecond)}
	for _, p := range list {
		o := lost.Process{Calls: p.Calls, Seconds: p.Wall.Seconds()}
		if p.Rank >= 0 {
			o.Rank = &p.Rank
		}
		if p.Wall > 0 {
			o.Overhead = min(2*float64(p.Busiest)*r.EventNs/float64(p.Wall), 1)
		}
		r.Overhead = max(r.Overhead, o.Overhead)
		r.Processes = append(r.Processes, o)
	}
	return r, nil
}

// eventTime measures how long an enter or a leave takes: the least of some batches, since other programs run meanwhile.
func eventTime(counters string) (least time.Duration, err error) {
	dir, err := os.MkdirTemp("", "pando-cost-")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	r, err := record.Start(dir, record.Options{Budget: 1 << 20, Mode: record.Keep, Ranks: 1, Run: 1, Prefault: true, Counters: counters})
	if err != nil {
		return 0, err
	}
	defer r.Close()
	const batches, calls, batch = 20, 2000, 4000
	l, region := r.Location("measured"), r.Region("measured")
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := l.CountThread(); err != nil {
		return 0, err
	}
	defer l.End()
	least = math.MaxInt64
	for range batches {
		begin := time.Now()
		for range calls {
			l.Enter(region)
			l.Leave()
		}
		least = min(least, time.Since(begin))
	}
	return max(least/batch, 1), nil
}
