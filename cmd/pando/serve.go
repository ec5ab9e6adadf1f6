package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/internal/heap"
	"github.com/pandotrace/pando/internal/serve"
)

// serveVerb answers questions about files over HTTP.
type serveVerb struct {
	listen, tokenFile string
	memory, logFormat string
	maxWindow         time.Duration
	quiet             bool
	options           serve.Options
}

func newServe() *cobra.Command {
	v := &serveVerb{}
	cmd := &cobra.Command{
		Use:   "serve FILE or FOLDER ...",
		Short: "Answer questions about files over HTTP",
		Long: `Answer questions about Pando files over HTTP: what is in them, tables and summaries of any window, as
JSON, Arrow, Parquet or CSV, and pictures of timelines. Of a folder, all files NAME.pando can be
asked about, those that appear later, too, and NAME.pando.part while it is written, as far as it goes:
unfinished is true in what /v1/traces/NAME says of it. Nothing is ever written.

  /                                                 a page that shows the traces, for a browser
  /v1/openapi.json                                  all questions and their parameters
  /v1/traces                                        the traces
  /v1/traces/run/tables/calls?from=1s&to=%2B20ms&format=arrow
  /v1/traces/run/summary?from=40%25&to=60%25
  /v1/traces/run/timeline.png
  /healthz, /metrics                                whether it is alive (without a token), and its state for Prometheus

Only this machine can ask (port 7788), as long as --listen names no other address. Then clients must send
a token, "Authorization: Bearer TOKEN": the first line of --token-file, or else one that is made up and
shown. The token is not encrypted on its way: use a tunnel (ssh -L) or a proxy with TLS across networks.

Pages of other web sites cannot ask: browsers say where a request comes from. --allow-origin names sites that
may, and then a token is always needed.

--memory bounds what caches, answers and open files take together. Small questions (what is in a trace, short
windows, summaries), large ones (long tables, pictures) and parts of files wait in lines of their own, for
a second at most. Who would have to wait for longer is refused at once, with status 503, or 429 if other
requests of the same client are the reason, and Retry-After. A client that takes no bytes of its answer for
10 s is given up, and after 1 s if somebody else waits for the memory.

Each request has a line on standard error (--quiet for none, --log-format json for objects). An interrupt ends the server when requests
under way are answered, or none of them has got a byte for 10 s; a second one ends it at once.`,
		Example: `  pando serve traces
  pando serve run.pando --listen 127.0.0.1:0 --max-window 10s --memory 256MB
  pando serve traces --listen 0.0.0.0:7788 --token-file ~/.pando-token`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return v.run(cmd.OutOrStdout(), cmd.ErrOrStderr(), args)
		},
	}
	cmd.Flags().StringVar(&v.listen, "listen", "127.0.0.1:7788", "`ADDRESS` and port; port 0 is any that is free")
	cmd.Flags().StringVar(&v.tokenFile, "token-file", "", "`FILE` with the token that clients must send")
	cmd.Flags().DurationVar(&v.maxWindow, "max-window", 0, "longest window that is answered, in `TIME` of the trace (default any)")
	cmd.Flags().Int64Var(&v.options.MaxRows, "max-rows", 0, "largest number of `ROWS` of a table in one answer (default 100 million)")
	cmd.Flags().DurationVar(&v.options.Timeout, "timeout", 0, "most `TIME` that an answer may take (default 10m)")
	cmd.Flags().StringVar(&v.memory, "memory", "512MiB", "`SIZE` of the memory for caches, answers and open files together, at least 64MiB")
	cmd.Flags().StringArrayVar(&v.options.AllowOrigins, "allow-origin", nil, "let pages of this `ORIGIN` (https://host:port) ask, with the token; may be repeated")
	cmd.Flags().StringVar(&v.logFormat, "log-format", "text", "`FORMAT` of the lines on standard error: text, or json for an object in each")
	verb.AddQuiet(cmd, &v.quiet, "no line for each request")
	verb.CompleteFixed(cmd, "log-format", []string{"text", "json"})
	for _, flag := range []string{"listen", "max-window", "max-rows", "timeout", "memory", "allow-origin"} {
		verb.CompleteFixed(cmd, flag, nil)
	}
	verb.CompleteFiles(cmd)
	return cmd
}

func (v *serveVerb) run(out, log io.Writer, paths []string) error {
	switch {
	case len(paths) == 0:
		return verb.Usagef("missing FILE or FOLDER")
	case v.maxWindow < 0 || v.options.MaxRows < 0 || v.options.Timeout < 0:
		return verb.Usagef("limits are positive")
	case v.logFormat != "text" && v.logFormat != "json":
		return verb.Usagef("--log-format %s: a log can be text or json", v.logFormat)
	}
	host, _, err := net.SplitHostPort(v.listen)
	if err != nil {
		return verb.Usagef("--listen %s is no address with a port, as 127.0.0.1:7788 is", v.listen)
	}
	if v.options.Memory, err = verb.ByteSize(v.memory); err != nil {
		return err
	}
	if err := v.options.Check(); err != nil {
		return verb.Usage(err)
	}
	if err := v.chooseToken(host, out); err != nil {
		return err
	}
	v.options.Errors, v.options.LogJSON = log, v.logFormat == "json"
	v.options.MaxWindow = v.maxWindow.Seconds()
	if !v.quiet {
		v.options.Log = log
	}
	ctx, stop := verb.Interruptible()
	defer stop()
	return v.serve(ctx, out, paths)
}

func (v *serveVerb) serve(ctx context.Context, out io.Writer, paths []string) error {
	s, err := serve.New(paths, v.options)
	if err != nil {
		return err
	}
	heap.Lasting(v.options.Memory)
	l, err := net.Listen("tcp", v.listen)
	if err != nil {
		return errors.Join(err, s.Close())
	}
	fmt.Fprintf(out, "listening on http://%s/v1/traces\n", l.Addr())
	page := url.URL{Scheme: "http", Host: l.Addr().String(), Path: "/"}
	if v.options.Token != "" {
		page.Fragment = "token=" + v.options.Token
	}
	fmt.Fprintf(out, "page in a browser: %s\n", &page)
	return errors.Join(s.Serve(ctx, l), s.Close())
}

// chooseToken reads the token, or makes one up if others than this machine, or pages of other sites, may ask.
func (v *serveVerb) chooseToken(host string, out io.Writer) error {
	if v.tokenFile != "" {
		text, err := os.ReadFile(v.tokenFile)
		if err != nil {
			return err
		}
		v.options.Token, _, _ = strings.Cut(string(text), "\n")
		if v.options.Token = strings.TrimSpace(v.options.Token); v.options.Token == "" {
			return verb.Usagef("--token-file %s: its first line is empty", v.tokenFile)
		}
		return nil
	}
	if !serve.IsLoopback(host) || len(v.options.AllowOrigins) > 0 {
		v.options.Token = rand.Text()
		fmt.Fprintf(out, "token %s\n", v.options.Token)
	}
	return nil
}
