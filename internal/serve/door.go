package serve

import (
	"net"
	"sync"
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
	places chan struct{}
}

func newDoor(l net.Listener, memory int64) *door {
	return &door{l, make(chan struct{}, memory/connectionPart/connectionBytes)}
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
}

// Close implements net.Conn.
func (g *guest) Close() error {
	defer g.leave()
	return g.Conn.Close()
}
