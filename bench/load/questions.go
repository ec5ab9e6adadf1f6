package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"sync"
)

// questions makes up requests.
type questions struct {
	mu     sync.Mutex
	dice   *rand.Rand
	traces []traceInfo
}

type traceInfo struct {
	Name     string
	Href     string
	Calls    float64 `json:"calls"`
	Duration int64   `json:"duration_ticks"`
}

func newQuestions(base string, seed uint64) (*questions, error) {
	q := &questions{dice: rand.New(rand.NewPCG(seed, 0))}
	var list struct{ Traces []traceInfo }
	if err := ask(base+"/v1/traces", &list); err != nil {
		return nil, err
	}
	for _, t := range list.Traces {
		if err := ask(base+t.Href, &t); err != nil {
			return nil, err
		}
		t.Href = base + t.Href
		q.traces = append(q.traces, t)
	}
	if len(q.traces) == 0 {
		return nil, fmt.Errorf("%s has no traces", base)
	}
	return q, nil
}

func ask(url string, into any) error {
	r, err := http.Get(url)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, r.Status)
	}
	return json.NewDecoder(r.Body).Decode(into)
}

// window returns a random window of about n calls.
func (q *questions) window(calls float64) (t *traceInfo, from, to int64) {
	t = &q.traces[q.dice.IntN(len(q.traces))]
	length := int64(min(1, calls/t.Calls) * float64(t.Duration))
	from = q.dice.Int64N(max(1, t.Duration-length))
	return t, from, from + length
}

// small returns a question about a small window: of 10 to 1,000 calls, as a table, or 100 to 10,000, as their sum, or about what there is.
func (q *questions) small() (kind, url string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	calls := math.Exp(q.dice.Float64()*math.Log(100)) * 10
	switch n := q.dice.IntN(10); {
	case n == 0:
		t, _, _ := q.window(0)
		return "what is in it", t.Href
	case n <= 2:
		t, from, to := q.window(10 * calls)
		return "summary", fmt.Sprintf("%s/summary?by=region&from=%d&to=%d", t.Href, from, to)
	default:
		t, from, to := q.window(calls)
		format := []string{"json", "arrow"}[n%2]
		return "calls, " + format, fmt.Sprintf("%s/tables/calls?format=%s&from=%d&to=%d", t.Href, format, from, to)
	}
}

// large returns a question whose answer has some megabytes.
func (q *questions) large() (kind, url string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	t, from, to := q.window(1_000_000)
	return "1,000,000 calls", fmt.Sprintf("%s/tables/calls?format=arrow&from=%d&to=%d", t.Href, from, to)
}
