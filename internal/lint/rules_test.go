package lint

import (
	"regexp"
	"strings"
)

// In the rules a folder means its package and all below it; "convert/*" for each folder below convert by itself;
// "." for the root package; "*" for everything. The first row that fits a package is its row.

// layers says what the packages of a folder may import of ours, besides each other. Test files are free to import any.
var layers = []struct{ folder, may string }{
	{".", ""},
	{"trace", ""},
	{"format", ""},
	{"spec/vectors", "*"},
	{"spec", ""},
	{"encode/internal/encodetest", "trace format internal/tracegen"},
	{"encode/internal/bitio", ""},
	{"encode/column", "format encode/internal/bitio"},
	{"encode/text", "format encode/internal/bitio encode/column"},
	{"encode/records", "trace format encode/text"},
	{"encode/shape", "trace format encode/internal/bitio encode/column"},
	{"encode/content", "trace encode/shape"},
	{"encode/predict", "trace format encode/internal/bitio encode/column encode/shape"},
	{"encode/slice", "trace format encode/internal/bitio encode/column encode/predict encode/shape encode/text"},
	{"encode", ""},
	{"index/internal/indextest", "format"},
	{"index/tables", "trace format encode index"},
	{"index", "trace format encode"},
	{"store/internal/cache", ""},
	{"store/internal/layout", "trace format index store/internal/cache internal/claim"},
	{"store/internal/blockio", "trace format encode index store/internal/layout"},
	{"store/internal/pairing", "trace format encode index store/internal/layout"},
	{"store/internal/read", "trace format encode index store/internal/blockio store/internal/cache store/internal/layout store/internal/pairing"},
	{"store/internal/stacks", "trace format encode index store/internal/cache store/internal/pairing store/internal/read"},
	{"store/internal/merged", "trace encode"},
	{"store/internal/ahead", ""},
	{"store/internal/query", "trace format encode index store/internal/ahead store/internal/cache store/internal/layout store/internal/merged store/internal/pairing store/internal/read store/internal/stacks"},
	{"store/internal/summary", "trace format encode index store/internal/cache store/internal/layout store/internal/query store/internal/read"},
	{"store/internal/timeline", "trace format encode index store/internal/cache store/internal/layout store/internal/query store/internal/read"},
	{"store/internal/verify", "trace format encode index store/internal/cache store/internal/layout store/internal/pairing store/internal/query store/internal/read store/internal/stacks store/internal/summary store/internal/timeline"},
	{"store/internal/account", "trace format encode index store/internal/layout store/internal/read"},
	{"store/internal/write/nodes", "trace format index store/internal/blockio store/internal/layout"},
	{"store/internal/write/sums", "trace format encode index store/internal/blockio store/internal/cache store/internal/layout store/internal/write/nodes"},
	{"store/internal/write/match", "trace format encode index store/internal/blockio store/internal/cache store/internal/layout store/internal/pairing store/internal/write/nodes"},
	{"store/internal/write", "trace format encode index store/internal/blockio store/internal/cache store/internal/layout store/internal/pairing internal/claim"},
	{"store/internal/recovery", "trace format encode index store/internal/blockio store/internal/layout store/internal/merged store/internal/pairing store/internal/query store/internal/read store/internal/write internal/claim"},
	{"store/internal/growing", "trace format encode index store/internal/blockio store/internal/layout store/internal/pairing store/internal/query store/internal/read store/internal/write"},
	{"store/internal/annotate", "trace format encode index store/internal/blockio store/internal/layout store/internal/read internal/claim"},
	{"store/remote", "store store/internal/blockio"},
	{"store", "trace format spec encode index store/internal internal/claim"},
	{"convert/mpe/mpetest", "trace convert/mpe"},
	{"convert/clog2", "trace store convert/mpe"},
	{"convert/slog2", "trace store convert/mpe"},
	{"convert/columnar/table", "trace store"},
	{"internal/gather", "trace store"},
	{"convert/columnar/content", "trace store convert/columnar/table internal/gather"},
	{"convert/columnar/encode", "convert/columnar/table"},
	{"convert/otf2/internal/form", "trace"},
	{"convert/otf2/internal/read", "trace convert/otf2/internal/form"},
	{"convert/otf2/internal/write", "trace convert/otf2/internal/form internal/claim internal/instep"},
	{"convert/chrome/internal/scan", "trace"},
	{"convert/chrome/internal/sorting", "convert/chrome/internal/scan"},
	{"convert/chrome/internal/form", ""},
	{"convert/chrome/internal/read", "trace convert/chrome/internal/scan convert/chrome/internal/sorting convert/chrome/internal/form"},
	{"convert/chrome/internal/write", "trace store convert/chrome/internal/scan convert/chrome/internal/form internal/claim"},
	{"convert/recording", "trace internal/ticks convert/recording/internal/symbol"},
	{"convert/*", "trace store internal/claim internal/instep"},
	{"convert", "trace format store edit convert/* internal/claim"},
	{"edit", "trace store internal/instep"},
	{"internal/rule", "trace store convert/columnar"},
	{"analysis/query", "trace store convert/columnar internal/rule analysis/calltree"},
	{"analysis/rules", "trace store convert/columnar internal/rule analysis/check analysis/query"},
	{"analysis", "trace encode/content encode/shape store internal/gather internal/instep"},
	{"sidecar", "trace format index store"},
	{"internal/ticks", ""},
	{"record/save", "trace store convert/recording record"},
	{"record", "trace spec internal/ticks"},
	{"recorder", "trace spec"},
	{"cloud", "trace store"},
	{"python", "trace store convert edit analysis internal/report"},
	{"beam", "trace store convert edit analysis"},
	{"internal/stacks", ""},
	{"internal/report", "trace format store convert analysis internal/draw internal/rule internal/stacks"},
	{"internal/serve/asked", ""},
	{"internal/serve/gate", ""},
	{"internal/serve/tiles", "trace store convert internal/draw"},
	{"internal/serve/viewing", "trace store convert edit internal/report internal/serve/asked internal/serve/tiles"},
	{"internal/serve", "trace store convert analysis/memory internal/draw internal/report internal/stacks internal/view"},
	{"internal/view", ""},
	{"internal/draw", "trace store convert"},
	{"cmd", "trace format spec encode index store convert edit analysis sidecar record cloud internal/report internal/rule internal/serve internal/draw internal/stacks internal/claim internal/heap internal/instep"},
	{"internal/instep", "trace"},
	{"internal/claim", ""},
	{"internal/heap", ""},
	{"internal/lint", ""},
	{"internal/damage", "format encode index"},
	{"internal/faultfs", ""},
	{"internal/lastwords", ""},
	{"internal/model", "trace"},
	{"internal/tracegen", "trace"},
	{"internal/tracetest", "trace store convert"},
	{"examples", "trace store record"},
	{"tools", ""},
	{"fuzz", "*"},
	{"bench", "*"},
}

// helpers serve tests: only test files, other helpers, fuzz and bench may import them.
const helpers = "convert/mpe/mpetest encode/internal/encodetest index/internal/indextest spec/vectors spec/recording/makevectors internal/damage internal/faultfs internal/lastwords internal/model internal/tracegen internal/tracetest"

// helperUsers may import helpers from files that are no tests.
const helperUsers = helpers + " fuzz bench"

// modules says which packages may import a module that is not ours, tests included. Modules that are not listed may be
// imported nowhere.
var modules = []struct{ module, by string }{
	{"github.com/klauspost/compress", "encode/records encode/text spec convert internal/serve internal/tracetest"},
	{"github.com/RoaringBitmap/roaring", "index"},
	{"github.com/apache/arrow/go/v15", "convert/columnar"},
	{"github.com/parquet-go/parquet-go", "convert/columnar"},
	{"github.com/spf13/cobra", "cmd/pando"},
	{"github.com/spf13/pflag", "cmd/pando"}, // the flags of cobra, which links it
	{"github.com/vbauerster/mpb/v8", "cmd/pando"},
	{"github.com/cli/browser", "cmd/pando"},
	{"github.com/jedib0t/go-pretty/v6", "internal/report"},
	{"github.com/ianlancetaylor/demangle", "convert/recording record/scorep"},
	{"golang.org/x/sync/errgroup", "*"},
	{"golang.org/x/image", "internal/draw"},
}

// testModules may be imported by test files and helpers only.
var testModules = []string{
	"pgregory.net/rapid",
	"github.com/google/go-cmp",
	"github.com/rogpeppe/go-internal",
}

// pure packages turn values into bytes and back: they do no input or output of their own.
const pure = "trace format spec encode index" // spec/vectors, a helper, may do I/O

// impure packages of the standard library are closed to the pure ones.
var impure = []string{"os", "net", "syscall", "io/ioutil", "log", "log/slog"}

// unlinked packages must not be in any of our binaries, by whatever way: Arrow's own Parquet writer brings gRPC and
// 30 MB, and registers the names of other Parquet libraries a second time.
var unlinked = []string{
	"google.golang.org/grpc",
	"github.com/apache/arrow/go/v15/parquet",
	"github.com/apache/arrow/go/v15/arrow/flight",
}

// offline packages must not link the network: who reads local files pays for no client of HTTP. online are those below them that open URLs.
const (
	offline = "trace format spec encode index store edit analysis"
	online  = "store/remote"
)

// network is what offline packages must not link.
const network = "net/http"

// maxLines is the length that no source file exceeds, tables and prose excepted.
const maxLines = 600

// maxPackageFiles and maxPackageLines bound the Go files of a package and their lines, tests and tables excepted. A package beyond them
// is several rooms without walls.
const (
	maxPackageFiles = 30
	maxPackageLines = 4000
)

// size is a number of Go files and of their lines.
type size struct{ files, lines int }

// crowded are the packages that are still beyond the limits, with bounds that only fall: a change that makes one smaller lowers its bounds, and
// the row goes when the package keeps to the limits.
var crowded = map[string]size{}

// slackLines is how far a bound of a crowded package may be above its lines, so that not every edit changes the row.
const slackLines = 250

// tables are the files that may be longer because they are one table (patterns of path.Match).
var tables = []string{"trace/kinds_*.go"}

// maxFileBytes and maxDataBytes bound a file in git and all files in git that are neither source nor prose.
const (
	maxFileBytes = 2 << 20
	maxDataBytes = 10 << 20
)

// written are the extensions of files that are source or prose by that rule: what people write, in Go and in the languages of programs that are recorded.
var written = strings.Fields(".go .md .c .h .cc .f90")

// code and prose are the files that people write, by extension or name; skippedFolders, by name or path, are not
// looked into.
var (
	code           = strings.Fields(".go .ts .tsx .mjs .js .css .html .sh .py .awk Makefile run fuzz soak machine profile release goals")
	prose          = strings.Fields(".md .txt .json .mod")
	skippedFolders = strings.Fields(".git testdata node_modules build results spec/v1/vectors internal/view/web/dist internal/view/web/third_party")
)

// leftovers are notes to oneself. (The brackets keep the pattern from matching itself.)
var leftovers = regexp.MustCompile(`\b(TO[D]O|FIX[M]E|XX[X])\b`)

// links are the links of Markdown files to other files of the repository, without the part after "#".
var links = regexp.MustCompile(`\]\(([^):#\s]+)(?:#[^)\s]*)?\)`)
