package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/internal/serve"
)

// serveVerb answers questions about files over HTTP.
type serveVerb struct {
	listen, tokenFile string
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
asked about, those that appear later, too. Nothing is ever written.

  /v1/openapi.json                                  all questions and their parameters
  /v1/traces                                        the traces
  /v1/traces/run/tables/calls?from=1s&to=%2B20ms&format=arrow
  /v1/traces/run/summary?from=40%25&to=60%25
  /v1/traces/run/timeline.png

Only this machine can ask (port 7788), as long as --listen names no other address. Then clients must send
a token, "Authorization: Bearer TOKEN": the first line of --token-file, or else one that is made up and
shown. The token is not encrypted on its way: use a tunnel (ssh -L) or a proxy with TLS across networks.

Each request has a line on standard error (--quiet for none). An interrupt ends the server when requests
under way are answered, or after 10 s.`,
		Example: `  pando serve traces
  pando serve run.pando --listen 127.0.0.1:0 --max-window 10s
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
	cmd.Flags().IntVar(&v.options.Concurrent, "concurrent", 0, "`NUMBER` of answers that are worked on at once (default 4 for each processor, at least 16)")
	cmd.Flags().BoolVar(&v.quiet, "quiet", false, "no line for each request")
	return cmd
}

func (v *serveVerb) run(out, log io.Writer, paths []string) error {
	switch {
	case len(paths) == 0:
		return usagef("missing FILE or FOLDER")
	case v.maxWindow < 0 || v.options.MaxRows < 0 || v.options.Timeout < 0 || v.options.Concurrent < 0:
		return usagef("limits are positive")
	}
	host, _, err := net.SplitHostPort(v.listen)
	if err != nil {
		return usagef("--listen %s is no address with a port, as 127.0.0.1:7788 is", v.listen)
	}
	if err := v.chooseToken(host, out); err != nil {
		return err
	}
	v.options.MaxWindow = v.maxWindow.Seconds()
	if !v.quiet {
		v.options.Log = log
	}
	ctx, stop := interruptible()
	defer stop()
	return v.serve(ctx, out, paths)
}

func (v *serveVerb) serve(ctx context.Context, out io.Writer, paths []string) error {
	s, err := serve.New(paths, v.options)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", v.listen)
	if err != nil {
		return errors.Join(err, s.Close())
	}
	fmt.Fprintf(out, "listening on http://%s/v1/traces\n", l.Addr())
	return errors.Join(s.Serve(ctx, l), s.Close())
}

// chooseToken reads the token, or makes one up if others than this machine may ask.
func (v *serveVerb) chooseToken(host string, out io.Writer) error {
	if v.tokenFile != "" {
		text, err := os.ReadFile(v.tokenFile)
		if err != nil {
			return err
		}
		v.options.Token, _, _ = strings.Cut(string(text), "\n")
		if v.options.Token = strings.TrimSpace(v.options.Token); v.options.Token == "" {
			return usagef("--token-file %s: its first line is empty", v.tokenFile)
		}
		return nil
	}
	if !serve.IsLoopback(host) {
		v.options.Token = rand.Text()
		fmt.Fprintf(out, "token %s\n", v.options.Token)
	}
	return nil
}
