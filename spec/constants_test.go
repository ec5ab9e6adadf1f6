package spec

import (
	"fmt"
	"go/ast"
	gconstant "go/constant"
	"go/token"
	"go/types"
	"math/bits"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// fixed are the constants of the format that format.md shows, besides those of the registry.
var fixed = []struct{ file, name, meaning string }{
	{"format/header.go", "Magic", "begin of a file"},
	{"format/header.go", "HeaderSize", "bytes of the header"},
	{"format/header.go", "Major", "major version"},
	{"format/header.go", "Minor", "minor version that is written"},
	{"format/header.go", "KnownFeatures", "required features that are defined"},
	{"format/frame.go", "Sync", "begin of a frame"},
	{"format/frame.go", "FrameSize", "bytes of a frame header"},
	{"format/footer.go", "FooterMagic", "end of a file"},
	{"format/footer.go", "FooterSize", "bytes of the footer"},
	{"format/density.go", "Density", "things that a byte stands for at most"},
	{"format/density.go", "PackedBytes", "bytes of a block compressed by zstd that count as one thing"},
	{"format/density.go", "TextBytes", "bytes of a compressed text of a slice that count as one"},
	{"format/density.go", "NameBytes", "bytes of the texts of definitions that count as one"},
	{"format/density.go", "SlotsInThing", "lines times vectors, or cells, that count as one"},
	{"format/density.go", "BinThings", "things that a bin of a model counts for"},
	{"format/density.go", "RecordThings", "things that a definition counts for"},
	{"format/density.go", "TextDictionaryBytes", "bytes of a dictionary of texts at most"},
	{"format/limits.go", "SpanLimit", "above the length of any interval of time"},
	{"trace/kind.go", "FirstPrivateKind", "first private kind of records"},
	{"index/directory.go", "maxSlices", "above the number of slices"},
	{"index/items.go", "partItems", "calls or messages with which a part of a block ends"},
	{"index/stacks.go", "maxKeys", "keys of calls with contexts of their own"},
	{"encode/column/model.go", "MaxContexts", "contexts of a model, columns of a dictionary"},
	{"encode/column/model.go", "maxTables", "tables of a model"},
	{"encode/shape/leaf.go", "SharedTimes", "first of the columns shared when all are given out"},
	{"encode/shape/leaf.go", "SharedValues", "last of them"},
	{"encode/column/bins.go", "maxBins", "bins of a table"},
	{"encode/column/bins.go", "maxBits", "offset bits of a bin"},
	{"encode/column/bins.go", "maxWeight", "above the weight of a bin"},
	{"encode/column/bins.go", "maxLog", "most binary digits of a sum of frequencies"},
	{"encode/column/classes.go", "classLog", "log2 of a sum of frequencies in a divided context"},
	{"encode/column/rans.go", "stateMin", "least state of a stream of symbols"},
	{"encode/column/rans.go", "manyStates", "symbols from which on there are four states"},
	{"encode/column/model_columns.go", "codeContexts", "contexts of a model's code"},
	{"encode/column/lattice.go", "LatticeBits", "binary digits behind the point of periods and phases"},
	{"encode/column/lattice.go", "MaxPeriod", "greatest period"},
	{"encode/shape/rank.go", "maxRanks", "greatest size of a communicator with relative ranks"},
	{"encode/content/hash.go", "modulus", "modulus of hashes of structure"},
	{"encode/content/hash.go", "firstBase", "their first base"},
	{"encode/content/hash.go", "secondBase", "their second base"},
	{"store/internal/layout/bounds.go", "MaxTime", "greatest time, and the least one without its sign"},
}

func constants(t *testing.T) string {
	t.Helper()
	b := "| constant | value | meaning |\n|---|---|---|\n"
	for _, f := range fixed {
		b += fmt.Sprintf("| `%s` | %s | %s |\n", f.name, show(evaluate(t, f.file, f.name)), f.meaning)
	}
	return b
}

// show writes a constant: text as bytes.
func show(v gconstant.Value) string {
	if v.Kind() == gconstant.String {
		return fmt.Sprintf("`% x`", gconstant.StringVal(v))
	}
	return v.ExactString()
}

// evaluate computes a constant of a file from what is written there and in the files beside it.
func evaluate(t *testing.T, file, name string) gconstant.Value {
	t.Helper()
	expr := ""
	for _, c := range packageConstants(t, file) {
		if c.name == name {
			expr = c.value
		}
	}
	if expr == "" {
		t.Fatalf("%s has no constant %s", file, name)
	}
	v, err := types.Eval(token.NewFileSet(), nil, token.NoPos, expr)
	if err != nil {
		expr = identifiers.ReplaceAllStringFunc(conversions.ReplaceAllString(expr, "("), func(id string) string {
			if pkg, name, ok := strings.Cut(id, "."); ok {
				return evaluate(t, imported(t, file, pkg), name).ExactString()
			}
			return evaluate(t, file, id).ExactString()
		})
		if v, err = types.Eval(token.NewFileSet(), nil, token.NoPos, expr); err != nil {
			t.Fatalf("%s: %s: %v", file, name, err)
		}
	}
	return v.Value
}

var (
	identifiers = regexp.MustCompile(`\b[A-Za-z]\w*(\.\w+)?\b`)
	conversions = regexp.MustCompile(`\b[A-Z]\w*\(`)
)

// imported returns a file of a package of ours, by the name that a file imports the package under.
func imported(t *testing.T, file, pkg string) string {
	t.Helper()
	for _, i := range source(t, file).Imports {
		if path, err := strconv.Unquote(i.Path.Value); err == nil && strings.HasPrefix(path, module) && strings.HasSuffix(path, "/"+pkg) {
			return strings.TrimPrefix(path, module) + "/*.go"
		}
	}
	t.Fatalf("%s imports no package %s", file, pkg)
	return ""
}

// module is the path of our packages.
const module = "github.com/pandotrace/pando/"

// packageConstants returns the constants of all files of a package.
func packageConstants(t *testing.T, file string) (all []constant) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", filepath.Dir(file), "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: no files, %v", file, err)
	}
	for _, f := range files {
		if !strings.HasSuffix(f, "_test.go") {
			all = append(all, constantsOf(t, strings.TrimPrefix(filepath.ToSlash(f), "../"))...)
		}
	}
	return all
}

// Each group of constants that calls itself a part of the format stands in the registry.
func TestRegistryIsComplete(t *testing.T) {
	known := map[string]bool{"Kind": true}
	for _, n := range numbered {
		known[n.typ] = true
	}
	found := 0
	for _, dir := range []string{"trace", "trace/annotation", "format", "encode/column", "encode/shape", "encode/slice", "encode/records", "index", "index/tables", "store"} {
		files, err := filepath.Glob(filepath.Join("..", dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no files, %v", dir, err)
		}
		for _, f := range files {
			found += checkRegistered(t, dir+"/"+filepath.Base(f), known)
		}
	}
	if found < len(numbered) {
		t.Errorf("only %d groups of constants say that they are a part of the format", found)
	}
}

func checkRegistered(t *testing.T, file string, known map[string]bool) (found int) {
	t.Helper()
	for _, decl := range source(t, file).Decls {
		g, ok := decl.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST || !partOfFormat.MatchString(g.Doc.Text()) {
			continue
		}
		found++
		for _, s := range g.Specs {
			v := s.(*ast.ValueSpec)
			if v.Type == nil || !known[types.ExprString(v.Type)] {
				t.Errorf("%s: %s stands in no table of the registry", file, v.Names[0].Name)
			}
		}
	}
	return found
}

var partOfFormat = regexp.MustCompile(`part of the (file )?format`)

// The texts are those that lie beside the package.
func TestEmbedded(t *testing.T) {
	for name, text := range map[string]string{"v1/format.md": Format, "v1/registry.md": Registry} {
		b, err := os.ReadFile(name)
		if err != nil || string(b) != text {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// number returns a constant that fits into 64 bits.
func number(t *testing.T, file, name string) uint64 {
	t.Helper()
	v, ok := gconstant.Uint64Val(gconstant.ToInt(evaluate(t, file, name)))
	if !ok {
		t.Fatalf("%s is no number", name)
	}
	return v
}

// commas writes a number with commas between thousands.
func commas(v uint64) string {
	if v < 1000 {
		return fmt.Sprint(v)
	}
	return fmt.Sprintf("%s,%03d", commas(v/1000), v%1000)
}

// power writes a power of two.
func power(t *testing.T, v uint64) string {
	t.Helper()
	if bits.OnesCount64(v) != 1 {
		t.Fatalf("%d is no power of two", v)
	}
	return fmt.Sprintf("2^%d", bits.TrailingZeros64(v))
}

// Numbers in the sentences of format.md are those of the code.
func TestNumbersInSentences(t *testing.T) {
	times, values := number(t, "encode/shape/leaf.go", "SharedTimes"), number(t, "encode/shape/leaf.go", "SharedValues")
	unit, period := power(t, number(t, "encode/column/lattice.go", "LatticeUnit")), power(t, number(t, "encode/column/lattice.go", "MaxPeriod"))
	most := power(t, number(t, "store/internal/layout/bounds.go", "MaxTime"))
	text := spaces.ReplaceAllString(Format, " ")
	for _, want := range []string{
		fmt.Sprintf("| %d | | | | | %d |", number(t, "format/header.go", "HeaderSize"), number(t, "format/footer.go", "FooterSize")),
		fmt.Sprintf("numbers from %#x on", number(t, "trace/kind.go", "FirstPrivateKind")),
		fmt.Sprintf("at most %s columns", commas(number(t, "encode/column/model.go", "MaxContexts"))),
		fmt.Sprintf("those below %s do not suffice", commas(times)),
		fmt.Sprintf("share the columns %s and %s, and other new values share column %s", commas(times), commas(times+1), commas(values)),
		fmt.Sprintf("period + phase) / %s)", unit),
		fmt.Sprintf("in units of %s ticks, between %s and %s;", strings.Replace(unit, "^", "^-", 1), unit, period),
		fmt.Sprintf("They lie in [-%s, %s]", most, most),
		fmt.Sprintf("| -%s to %s |", most, most),
		fmt.Sprintf("| below %s | root |", power(t, number(t, "index/directory.go", "maxSlices"))),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("format.md does not say %q", want)
		}
	}
}
