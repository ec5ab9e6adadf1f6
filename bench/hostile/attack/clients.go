package attack

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

const (
	clientGroup = "clients of serve"
	clientName  = "malformed requests, paths that lead outside, long and many parameters, odd values"
	clientFull  = 900
	secret      = "this must not be told"
)

var serving = regexp.MustCompile(`http://(127\.0\.0\.1:[0-9]+)`)

// tryClients sends requests to one server, which must answer a sound one after each of them.
func (a *Attack) tryClients() (Result, error) {
	r := Result{Group: clientGroup, Kind: clientName, Inputs: a.share(clientFull)}
	dir, err := a.folder()
	if err == nil {
		err = errors.Join(put(dir, "secret.pando", []byte(secret)), put(dir, "served/run.pando", a.bases.pando[0]), os.Symlink("../secret.pando", filepath.Join(dir, "served", "link.pando")))
	}
	if err != nil {
		return r, err
	}
	var told kept
	c, address, err := a.startServer(filepath.Join(dir, "served"), &told)
	if err != nil {
		return r, err
	}
	o := &outcome{}
	for n := range r.Inputs {
		d := newDice(a.Seed, clientGroup, n)
		request := d.request()
		answered, wrong := send(address, request)
		switch {
		case wrong != "":
			r.Wrong = append(r.Wrong, Wrong{clientGroup, n, fmt.Sprintf("%.300q", request), wrong})
		case answered:
			r.Answered++
		default:
			r.Refused++
		}
		if resident, cpu := resources(c.Process.Pid); resident > 0 {
			r.Memory, r.CPU = max(r.Memory, resident), cpu/float64(n+1)
		}
		if _, wrong := send(address, []byte("GET /v1/traces HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")); wrong != "" {
			r.Wrong = append(r.Wrong, Wrong{clientGroup, n, fmt.Sprintf("%.300q", request), "the server does not answer a sound request any more: " + wrong})
			break
		}
	}
	_ = c.Process.Signal(syscall.SIGINT) // it may be gone
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	o.watch(c, done)
	o.stderr = told.String()
	if wrong := o.crash(); wrong != "" {
		r.Wrong = append(r.Wrong, Wrong{clientGroup, r.Inputs, "serve", wrong})
	}
	return r, nil
}

// wellFormed reports whether a text is JSON, of one value or of one in each line.
func wellFormed(text []byte) bool { return allJSON(bytes.NewReader(text)) == nil }

// startServer starts a server of a folder. It returns its address; told gets the log.
func (a *Attack) startServer(folder string, told *kept) (c *exec.Cmd, address string, err error) {
	c = a.command("serve", folder, "--listen", "127.0.0.1:0")
	out, w, err := os.Pipe()
	if err != nil {
		return nil, "", err
	}
	c.Stdout, c.Stderr = w, told
	if err := errors.Join(c.Start(), w.Close()); err != nil {
		return nil, "", err
	}
	for lines := bufio.NewReader(out); ; {
		text, err := lines.ReadString('\n')
		if m := serving.FindStringSubmatch(text); m != nil {
			return c, m[1], nil
		}
		if err != nil {
			_ = c.Process.Kill() // there is another error
			return nil, "", fmt.Errorf("serve does not start: %w: %s%s", err, text, told.String())
		}
	}
}

// request returns the bytes of a request.
func (d dice) request() []byte {
	path := pick(d, []string{"/v1/traces", "/v1/traces/run", "/v1/traces/run/definitions", "/v1/traces/run/tables/calls", "/v1/traces/run/summary", "/v1/traces/run/timeline.svg", "/v1/traces/run/timeline.png", "/v1/traces/run/timeline.json", "/v1/traces/run/file", "/v1/openapi.json"})
	query := ""
	names := []string{"from", "to", "location", "region", "format", "part", "width", "pixels", "limit", "x", "kind", "title", ""}
	values := append(append(append([]string{}, oddTimes...), oddSelectors...), oddNumbers...)
	values = append(values, "json", "csv", "arrow", "parquet", "calls", "messages")
	for i := range d.IntN(4) {
		query += map[bool]string{true: "?", false: "&"}[i == 0] + pick(d, names) + "=" + url.QueryEscape(pick(d, values))
	}
	method, version, headers := "GET", "HTTP/1.1", "Host: localhost\r\nConnection: close\r\n"
	switch d.IntN(12) {
	case 0:
		path = "/v1/traces/" + pick(d, []string{"../secret", "..%2fsecret", "%2e%2e/secret", "....//secret", "link", "/etc/passwd", "run.pando", "run%00", "run/../../secret", strings.Repeat("a", 5000), "\x1b[31m", "%ff", "%zz", "run/file/../../../secret.pando", "..\\secret", "secret"}) + pick(d, []string{"", "/file", "/summary"})
	case 1:
		method = pick(d, []string{"POST", "PUT", "DELETE", "HEAD", "OPTIONS", "CONNECT", "TRACE", "", "G\x00T", strings.Repeat("A", 10000)})
	case 2:
		headers += pick(d, []string{"X: " + strings.Repeat("x", 2<<20), strings.Repeat("X: y\r\n", 20000), "X\x00: y", ": y", "Content-Length: -1", "Content-Length: 99999999999", "Transfer-Encoding: chunked", "Host: evil.example", "Range: bytes=0-0,1-1,2-2" + strings.Repeat(",0-1", 1000),
			"Range: bytes=18446744073709551616-", "If-None-Match: \"", "If-Range: x", "Expect: 100-continue", "Upgrade: h2c", "Authorization: Bearer " + strings.Repeat("x", 9000), "Origin: http://evil.example"}) + "\r\n"
	case 3:
		query = "?" + strings.Repeat("location=0&", pick(d, []int{100, 10_000, 60_000}))
	case 4:
		version = pick(d, []string{"HTTP/1.0", "HTTP/0.9", "HTTP/2.0", "HTTP/9.9", "", "XTTP"})
	case 5:
		return d.bytes(1 + d.IntN(3000))
	case 6:
		headers = pick(d, []string{"", "Host: \r\n", "Host: a b\r\n", "Host: evil.example\r\n", "Host: 127.0.0.1.evil.example\r\n", "Host: localhost:99999\r\n", "Host: [::1\r\n"})
	case 7:
		query = "?" + string(d.bytes(200))
	}
	return []byte(method + " " + path + query + " " + version + "\r\n" + headers + "\r\n")
}

// send sends a request and reads the answer. wrong says what must not be in it.
func send(address string, request []byte) (answered bool, wrong string) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		return false, "no connection: " + err.Error()
	}
	defer func() { _ = c.Close() }() // nothing is expected of it
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	_, _ = c.Write(request) // the server may be through with it before its end
	if half, ok := c.(*net.TCPConn); ok && !bytes.HasSuffix(request, []byte("\r\n\r\n")) {
		_ = half.CloseWrite()
	}
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return false, "" // a connection that is broken off is an answer, too
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, 64<<20))
	switch {
	case bytes.Contains(text, []byte(secret)):
		return false, "it tells a file outside of its folder"
	case response.StatusCode >= 500 && response.StatusCode != http.StatusServiceUnavailable && response.StatusCode != 505 && response.StatusCode != 501:
		return false, fmt.Sprintf("status %s: %.200s", response.Status, text)
	case err == nil && strings.HasSuffix(response.Header.Get("Content-Type"), "json") && !wellFormed(text):
		return false, fmt.Sprintf("no JSON: %.200q", text)
	}
	return response.StatusCode < 400, ""
}
