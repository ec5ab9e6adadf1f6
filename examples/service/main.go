// Command service is a web server that records itself all the time, and keeps the last ten seconds of each request that was slow as a Pando file:
//
//	go run ./examples/service -addr :8080 -slow 200ms -o traces
//	curl localhost:8080/report?rows=50 && curl localhost:8080/report?rows=5000
//	pando find traces/slow-*.pando --longest 3
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/pandotrace/pando/record"
	"github.com/pandotrace/pando/record/save"
)

func main() {
	addr := flag.String("addr", "localhost:8080", "listen at this address")
	slow := flag.Duration("slow", 200*time.Millisecond, "keep a trace when a request takes longer")
	out := flag.String("o", "traces", "write traces into this folder")
	flag.Parse()
	s, err := newService(*out, *slow)
	if err == nil {
		err = http.ListenAndServe(*addr, s)
	}
	log.Fatal(err)
}

// locations is how many requests are recorded at once; more are served, but not recorded.
const locations = 64

// recorder is a flight recorder of requests.
type recorder struct {
	*record.Recorder
	free    chan *record.Location
	out     string
	slow    time.Duration
	writing chan struct{} // holds one while a trace is written
}

func newRecorder(out string, slow time.Duration) (*recorder, error) {
	if err := os.MkdirAll(out, 0o777); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(out, "recording-")
	if err != nil {
		return nil, err
	}
	rec, err := record.Start(dir, record.Options{Budget: 32 << 20, Mode: record.Last})
	if err != nil {
		return nil, err
	}
	r := &recorder{rec, make(chan *record.Location, locations), out, slow, make(chan struct{}, 1)}
	for i := range locations {
		r.free <- rec.Location(fmt.Sprintf("request %d", i))
	}
	return r, nil
}

// middleware records the requests of a handler as calls of a region. Handlers record what they do by record.In and the request's context.
func (r *recorder) middleware(name string, next http.Handler) http.Handler {
	region := r.Region(name)
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		select {
		case l := <-r.free:
			defer func() { r.free <- l }()
			begin := time.Now()
			defer func() {
				if time.Since(begin) >= r.slow {
					r.keep(begin)
				}
			}()
			ctx := record.With(req.Context(), l)
			defer record.In(ctx, region).End() // also if the handler panics
			next.ServeHTTP(w, req.WithContext(ctx))
		default:
			next.ServeHTTP(w, req)
		}
	})
}

// keep writes the last ten seconds. One trace is written at a time: of several slow requests, the first one has the others in its own.
func (r *recorder) keep(begin time.Time) {
	select {
	case r.writing <- struct{}{}:
	default:
		return
	}
	go func() {
		defer func() { <-r.writing }()
		path := filepath.Join(r.out, begin.UTC().Format("slow-20060102-150405.000000.pando"))
		if err := save.Snapshot(context.Background(), r.Recorder, path, 10*time.Second); err != nil && !errors.Is(err, record.ErrClosed) {
			log.Print(err)
		}
	}()
}

// newService serves reports, which take the longer the more rows they have.
func newService(out string, slow time.Duration) (http.Handler, error) {
	r, err := newRecorder(out, slow)
	if err != nil {
		return nil, err
	}
	query, render := r.Region("query"), r.Region("render")
	mux := http.NewServeMux()
	report := func(w http.ResponseWriter, req *http.Request) {
		rows, err := strconv.Atoi(req.FormValue("rows"))
		if err != nil || rows < 0 {
			http.Error(w, "rows is no number", http.StatusBadRequest)
			return
		}
		span := record.In(req.Context(), query)
		time.Sleep(time.Duration(rows) * 100 * time.Microsecond) // of a database
		span.End()
		defer record.In(req.Context(), render).End()
		for i := range rows {
			fmt.Fprintln(w, i)
		}
	}
	mux.Handle("GET /report", r.middleware("GET /report", http.HandlerFunc(report)))
	return mux, nil
}
