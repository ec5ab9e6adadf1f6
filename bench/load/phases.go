package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// clients asks the server.
type clients struct {
	*server
	order     *order
	questions *questions
	out       io.Writer
	transport []*http.Client // one connection each

	mu      sync.Mutex
	results []result
}

// result is what became of a request. Status 0 is a connection that broke.
type result struct {
	kind   string
	status int
	bytes  int64
	took   time.Duration
}

func (c *clients) phases() {
	for range c.order.connections {
		c.transport = append(c.transport, &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1, MaxIdleConnsPerHost: 1, DisableCompression: true}})
	}
	small := c.questions.small
	c.phase(fmt.Sprintf("Small questions, %g a second, whatever the answers", c.order.rate), func() { c.arriving(small) })
	c.phase("Small questions without pause", func() { c.pressing(small) })
	c.phase("Small questions without pause, once more", func() { c.pressing(small) })
	c.phase("Tables of as much time as 1,000,000 calls take without pause", func() { c.pressing(c.questions.large) })
	c.phase(fmt.Sprintf("Small questions, %g a second, while %d clients ask for tables and never read", c.order.rate, c.order.stalled), func() {
		defer c.stall()()
		c.arriving(small)
	})
	c.phase(fmt.Sprintf("Small questions, %g a second, afterwards", c.order.rate), func() { c.arriving(small) })
}

// phase runs a phase and reports it.
func (c *clients) phase(title string, do func()) {
	c.results = nil
	memory, processor, begin := c.watch(), c.processor(), time.Now()
	do()
	processor, took := c.processor()-processor, time.Since(begin)
	fmt.Fprintf(c.out, "\n## %s\n\n| question | status | number | p50 | p90 | p99 | most | MB a second |\n|---|---|---|---|---|---|---|---|\n", title)
	c.lines(took)
	fmt.Fprintf(c.out, "\nProcessor: %.2f of %.1f s. Memory, most in each tenth of the time:", processor.Seconds(), took.Seconds())
	for _, b := range memory.stop() {
		fmt.Fprintf(c.out, " %d", b/1e6)
	}
	fmt.Fprintln(c.out)
}

// lines reports the results of each kind and status, and of all that were answered.
func (c *clients) lines(took time.Duration) {
	groups := map[string][]result{}
	for _, r := range c.results {
		if r.status == http.StatusOK {
			groups["all | 200"] = append(groups["all | 200"], r)
		}
		key := fmt.Sprintf("%s | %d", r.kind, r.status)
		if r.status != http.StatusOK {
			key = fmt.Sprintf("all | %d", r.status)
		}
		groups[key] = append(groups[key], r)
	}
	var keys []string
	for key := range groups {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		list, bytes := groups[key], int64(0)
		slices.SortFunc(list, func(a, b result) int { return int(a.took - b.took) })
		for _, r := range list {
			bytes += r.bytes
		}
		at := func(share float64) float64 {
			return float64(list[min(len(list)-1, int(share*float64(len(list))))].took) / float64(time.Millisecond)
		}
		fmt.Fprintf(c.out, "| %s | %d | %.2f | %.2f | %.2f | %.2f | %.1f |\n", key, len(list), at(0.5), at(0.9), at(0.99), at(1), float64(bytes)/1e6/took.Seconds())
	}
}

// arriving sends requests when they are due, each on the next connection, at random times of the given rate.
func (c *clients) arriving(question func() (kind, url string)) {
	type arrival struct {
		due       time.Time
		kind, url string
	}
	var workers sync.WaitGroup
	queues := make([]chan arrival, len(c.transport))
	for i, client := range c.transport {
		queues[i] = make(chan arrival, 10_000)
		workers.Go(func() {
			for a := range queues[i] {
				c.ask(client, a.due, a.kind, a.url)
			}
		})
	}
	dice := rand.New(rand.NewPCG(c.order.seed, 1))
	due := time.Now()
	for i, end := 0, due.Add(c.order.length); due.Before(end); i++ {
		kind, url := question()
		time.Sleep(time.Until(due))
		queues[i%len(queues)] <- arrival{due, kind, url}
		due = due.Add(time.Duration(dice.ExpFloat64() / c.order.rate * float64(time.Second)))
	}
	for _, q := range queues {
		close(q)
	}
	workers.Wait()
}

// pressing sends requests on all connections, the next one as soon as one is answered.
func (c *clients) pressing(question func() (kind, url string)) {
	var workers sync.WaitGroup
	end := time.Now().Add(c.order.length)
	for _, client := range c.transport {
		workers.Go(func() {
			for time.Now().Before(end) {
				kind, url := question()
				c.ask(client, time.Now(), kind, url)
			}
		})
	}
	workers.Wait()
}

// ask sends a request that was due, and reads all of the answer.
func (c *clients) ask(client *http.Client, due time.Time, kind, url string) {
	r := result{kind: kind}
	if answer, err := client.Get(url); err == nil {
		r.status = answer.StatusCode
		if r.bytes, err = io.Copy(io.Discard, answer.Body); err != nil {
			r.status = 0
		}
		answer.Body.Close()
	}
	r.took = time.Since(due)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.results = append(c.results, r)
}

// stall lets clients ask for large tables and read nothing of the answers, until end is called.
func (c *clients) stall() (end func()) {
	u, _ := url.Parse(c.base) // it has been asked already
	var open []net.Conn
	for range c.order.stalled {
		_, large := c.questions.large()
		conn, err := net.Dial("tcp", u.Host)
		if err != nil {
			continue
		}
		_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10)
		fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", strings.TrimPrefix(large, c.base), u.Host)
		open = append(open, conn)
	}
	return func() {
		for _, conn := range open {
			conn.Close()
		}
	}
}
