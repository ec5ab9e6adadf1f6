package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/cli/browser"
	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/internal/heap"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/serve"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/store/remote"
	"github.com/pandotrace/pando/trace"
)

// viewVerb shows traces in a browser.
type viewVerb struct {
	writing
	from, to, listen string
	noBrowser        bool
	open             func(url string) error // opens a browser; tests replace it
}

func newView() *cobra.Command {
	v := &viewVerb{open: openBrowser}
	cmd := &cobra.Command{
		Use:   "view FILE ...",
		Short: "Show traces in a browser",
		Long: `Show traces in a browser: who did what when, as far in as you like. The address of the page is printed, and
opened in the browser of this machine. The page comes from a server of its own on a free port, which only this machine reaches, and needs
the token that stands in the address. It ends with an interrupt (Ctrl+C).

Traces of other formats are converted first, into temporary files, or to --output if there is one trace. Of a file that is being written,
what is complete is shown, and more as it comes.

Over SSH no browser is opened. The line "ssh -L ..." that is printed then, run on the machine in front of you, brings the page there.`,
		Example: `  pando view run.pando
  pando view run.pando --from 40% --to +5ms
  pando view scorep-run/traces.otf2 -o run.pando
  pando view before.pando after.pando --no-browser`,
		RunE: func(cmd *cobra.Command, args []string) error {
			v.by, v.errors = converter(cmd, false), cmd.ErrOrStderr()
			return v.run(cmd.OutOrStdout(), args)
		},
	}
	cmd.Flags().StringVar(&v.from, "from", "", "show the trace from this `TIME` on (help times)")
	cmd.Flags().StringVar(&v.to, "to", "", "show it up to this `TIME`")
	cmd.Flags().StringVar(&v.listen, "listen", "127.0.0.1:0", "`ADDRESS` and port of this machine; port 0 is any that is free")
	cmd.Flags().BoolVar(&v.noBrowser, "no-browser", false, "print the address only")
	cmd.Flags().BoolVar(&v.lenient, "lenient", false, "accept traces of which parts are missing or cut off")
	verb.AddOutput(cmd, &v.output, "keep the Pando file that a trace of another format is converted to as `OUT`")
	v.AddReplacing(cmd, "OUT")
	verb.AddQuiet(cmd, &v.Quiet, "no warnings about a trace that is converted")
	for _, flag := range []string{"from", "to", "listen"} {
		verb.CompleteFixed(cmd, flag, nil)
	}
	verb.CompleteTraces(cmd)
	return cmd
}

func (v *viewVerb) run(out io.Writer, paths []string) error {
	host, _, err := net.SplitHostPort(v.listen)
	switch {
	case len(paths) == 0:
		return verb.Usagef("missing FILE")
	case err != nil || !serve.IsLoopback(host):
		return verb.Usagef("--listen %s is no address of this machine alone, as 127.0.0.1:0 is: pando serve answers others", v.listen)
	case v.output != "" && len(paths) > 1:
		return verb.Usagef("--output is the file of one trace, not of %d", len(paths))
	}
	ctx, stop := verb.Interruptible()
	defer stop()
	folder, err := os.MkdirTemp("", "pando-view-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	var files []string
	for _, path := range paths {
		file, err := v.stored(ctx, path, folder)
		if err != nil {
			return err
		}
		files = append(files, file)
	}
	return v.serve(ctx, out, files)
}

// stored returns the Pando file of a trace, which is made if it is of another format.
func (v *viewVerb) stored(ctx context.Context, path, folder string) (string, error) {
	if remote.IsURL(path) {
		return "", verb.Usagef("%s: the viewer shows files of this machine; pando convert fetches it", path)
	}
	if name, ok := convert.Detect(path); ok && name == "Pando" {
		f, err := verb.OpenReader(path) // the browser would only show that it cannot be read
		if err != nil {
			return "", err
		}
		return path, f.Close()
	}
	if holdsTraces(path) {
		return path, nil
	}
	found, err := v.find(ctx, path)
	if err != nil {
		return "", err
	}
	defer found.Close()
	return v.keep(ctx, found, path, folder)
}

// keep writes a trace as a Pando file.
func (v *viewVerb) keep(ctx context.Context, found *convert.Trace, path, folder string) (string, error) {
	to := v.output
	if to == "" {
		name, _, _ := strings.Cut(filepath.Base(filepath.Clean(path)), ".")
		if strings.HasPrefix(filepath.Base(path), "traces.") { // as all archives of Score-P are called
			if of, err := filepath.Abs(filepath.Dir(path)); err == nil {
				name = filepath.Base(of)
			}
		}
		to = filepath.Join(folder, strconv.Itoa(countOf(folder)), cmp.Or(name, "trace")+report.Extension)
		if err := os.Mkdir(filepath.Dir(to), 0o700); err != nil {
			return "", err
		}
	} else if err := verb.CheckOutput(to, v.Force); err != nil {
		return "", err
	}
	bar := v.Bar("converting", "events", 0)
	defer bar.Done()
	written, err := convert.OutputNamed("Pando").Write(ctx, found, to, convert.WriteOptions{
		By: v.by, Store: store.Options{}, Replace: v.Force, Discard: v.Discard, Progress: bar.Report, Accept: func([]trace.Warning) error { return nil },
	})
	v.warn(written.Warnings)
	return to, err
}

// countOf returns the number of entries of a folder.
func countOf(folder string) int {
	entries, _ := os.ReadDir(folder) // a folder that cannot be read is met again when the file is made
	return len(entries)
}

// holdsTraces reports whether a folder has Pando files.
func holdsTraces(path string) bool {
	files, _ := filepath.Glob(filepath.Join(path, "*"+report.Extension)) // of this pattern there is no error
	return len(files) > 0
}

func (v *viewVerb) serve(ctx context.Context, out io.Writer, files []string) error {
	opt := serve.Options{Token: rand.Text(), Errors: v.errors, Memory: 512 << 20}
	s, err := serve.New(files, opt)
	if err != nil {
		return err
	}
	heap.Lasting(opt.Memory)
	address, err := v.fragment(ctx, files[0], opt.Token)
	if err != nil {
		return errors.Join(err, s.Close())
	}
	l, err := net.Listen("tcp", v.listen)
	if err != nil {
		return errors.Join(err, s.Close())
	}
	if v.from == "" && v.to == "" {
		go warm(ctx, fmt.Sprintf("http://%s/v1/traces", l.Addr()), opt.Token)
	}
	v.tell(out, l.Addr().(*net.TCPAddr), address)
	return errors.Join(s.Serve(ctx, l), s.Close())
}

// usualPixels are those of the picture on a usual screen, fewRows the locations that it has rows for, as in the page.
const usualPixels, fewRows = 1730, 80

// warm asks for what the page shows first, of all of the first trace, while the browser starts: so it is there when the page asks. What goes wrong here,
// the page meets and tells.
func warm(ctx context.Context, traces, token string) {
	ask := func(path string, read func(io.Reader) error) {
		r, _ := http.NewRequestWithContext(ctx, http.MethodGet, traces+path, nil) // the address is one of ours
		r.Header.Set("Authorization", "Bearer "+token)
		if got, err := http.DefaultClient.Do(r); err == nil {
			defer got.Body.Close()
			_ = read(got.Body) // as above
		}
	}
	var list struct{ Traces []struct{ Name string } }
	if ask("", func(from io.Reader) error { return json.NewDecoder(from).Decode(&list) }); len(list.Traces) == 0 {
		return
	}
	ask(fmt.Sprintf("/%s/tiles?pixels=%d&few=%d&lane=0&group=0", url.PathEscape(list.Traces[0].Name), usualPixels, fewRows), func(from io.Reader) error {
		_, err := io.Copy(io.Discard, from)
		return err
	})
}

// fragment returns what stands in the address behind #: the token, which the page takes out, and the window.
func (v *viewVerb) fragment(ctx context.Context, file, token string) (string, error) {
	text := url.Values{"token": {token}}
	if v.from == "" && v.to == "" {
		return text.Encode(), nil
	}
	r, err := verb.OpenReader(file)
	if err != nil {
		return "", err
	}
	defer r.Close()
	w, err := r.ParseWindow(v.from, v.to)
	if err != nil {
		return "", verb.Usage(err)
	}
	from, to := w.Bounds()
	text.Set("from", strconv.FormatInt(from-r.Info().First, 10))
	text.Set("to", strconv.FormatInt(to-r.Info().First, 10))
	return text.Encode(), nil
}

// tell prints the address, and opens it in a browser.
func (v *viewVerb) tell(out io.Writer, at *net.TCPAddr, fragment string) {
	page := fmt.Sprintf("http://%s/#%s", at, fragment)
	fmt.Fprintln(out, page)
	if session := os.Getenv("SSH_CONNECTION"); session != "" {
		fmt.Fprintf(out, "on the machine in front of you:  ssh -N -L %d:%s %s\n", at.Port, at, sshTarget(session))
		return
	}
	if v.noBrowser {
		return
	}
	if err := v.open(page); err != nil {
		fmt.Fprintln(v.errors, "pando: no browser could be opened:", verb.OneLine(err))
	}
}

// openBrowser opens a page in the browser of this machine, whose own words do not stand between ours.
func openBrowser(page string) error {
	browser.Stdout, browser.Stderr = io.Discard, io.Discard
	return browser.OpenURL(page)
}

// sshTarget returns what to call this machine from where a session of SSH comes from: SSH_CONNECTION has the addresses and ports of both ends.
func sshTarget(session string) string {
	host := "HOST"
	if ends := strings.Fields(session); len(ends) == 4 {
		host = ends[2]
	}
	if u, err := user.Current(); err == nil {
		return u.Username + "@" + host
	}
	return host
}
