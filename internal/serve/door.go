package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// connectionBytes is the memory of an open connection: its buffers and goroutines.
	connectionBytes = 32 << 10
	// connectionPart is the divisor of the memory for the part of connections.
	connectionPart = 8
)

// door is a listener with a largest number of open connections. Further ones are answered with status 503 and closed at once.
type door struct {
	net.Listener
	places  chan struct{}
	refused atomic.Int64 // connections
}

func newDoor(l net.Listener, memory int64) *door {
	return &door{Listener: l, places: make(chan struct{}, memory/connectionPart/connectionBytes)}
}

// full is the answer on connections beyond the largest number.
const full = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: 46\r\n\r\n" +
	`{"error":"there are too many connections now"}`

// Accept implements net.Listener.
func (d *door) Accept() (net.Conn, error) {
	for {
		c, err := d.Listener.Accept()
		if err != nil {
			return nil, err
		}
		select {
		case d.places <- struct{}{}:
			return &guest{Conn: c, leave: sync.OnceFunc(func() { <-d.places })}, nil
		default:
			d.refused.Add(1)
			_ = c.SetWriteDeadline(time.Now().Add(time.Millisecond)) // it fits into the buffers of a connection
			_, _ = c.Write([]byte(full))
			c.Close()
		}
	}
}

// guest is a connection that has a place.
type guest struct {
	net.Conn
	leave func()
	asks  atomic.Bool // a request is being answered by a handler
}

// Close implements net.Conn.
func (g *guest) Close() error {
	defer g.leave()
	return g.Conn.Close()
}

// Write implements net.Conn. The package net/http itself answers requests that it cannot read, with an error as plain text; clients get it in
// the form of all errors.
func (g *guest) Write(b []byte) (int, error) {
	if own := inForm(b); own != nil && !g.asks.Load() {
		_, err := g.Conn.Write(own)
		return len(b), err
	}
	return g.Conn.Write(b)
}

// unread is how an answer to a request that cannot be read begins; the status stands between both parts.
var unread = [2][]byte{[]byte("HTTP/1.1 "), []byte("\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n")}

// inForm returns an answer to a request that cannot be read in the form of all errors, nil for any other answer.
func inForm(answer []byte) []byte {
	rest, ok := bytes.CutPrefix(answer, unread[0])
	status, text, all := bytes.Cut(rest, unread[1])
	if !ok || !all {
		return nil
	}
	body, err := json.Marshal(map[string]string{"error": "the request cannot be read: " + string(text)})
	if err != nil {
		return nil
	}
	return fmt.Appendf(nil, "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s\n", status, jsonType, len(body)+1, body)
}

// guestKey is the key of a request's connection in its context.
type guestKey struct{}

// withGuest puts a connection into the context of its requests.
func withGuest(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, guestKey{}, c)
}

// guestState notices that the answer to a request is complete.
func guestState(c net.Conn, state http.ConnState) {
	if g, ok := c.(*guest); ok && state == http.StateIdle {
		g.asks.Store(false)
	}
}

// begins notes that a handler has a request of the connection.
func begins(r *http.Request) {
	if g, ok := r.Context().Value(guestKey{}).(*guest); ok {
		g.asks.Store(true)
	}
}
