package rule_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/pandotrace/pando/convert/columnar/table"
	_ "github.com/pandotrace/pando/internal/lastwords"
	"github.com/pandotrace/pando/internal/rule"
)

func scope() *rule.Scope {
	names := &table.Names{}
	names.Add("solve")
	names.Add("init")
	return &rule.Scope{
		Schema: &table.Schema{Name: "calls", Columns: []table.Column{
			{Name: "rank", Type: table.Int64, Null: true}, {Name: "region", Type: table.Int64}, {Name: "name", Type: table.Name, Null: true},
			{Name: "duration_ns", Type: table.Int64, Unit: "ns"}, {Name: "value", Type: table.Double}, {Name: "open", Type: table.Bool}, {Name: "fields", Type: table.Text},
		}},
		Names: []*table.Names{nil, nil, names, nil, nil, nil, nil},
	}
}

// rows are: rank 0 in solve, 5 ms; no rank in init, 30 ms; rank 2 without a name, the largest time.
func rows() *table.Batch {
	b := table.NewBatch(7)
	b.Rows = 3
	v := b.Vectors
	v[0].Ints, v[0].Null = []int64{0, 99, 2}, []bool{false, true, false}
	v[1].Ints = []int64{7, 8, 9}
	v[2].Codes, v[2].Null = []int32{0, 1, 0}, []bool{false, false, true}
	v[3].Ints = []int64{5e6, 30e6, 1<<63 - 1}
	v[4].Doubles = []float64{0.5, -2, 0}
	v[5].Bools = []bool{false, true, false}
	v[6].Text, v[6].Ends, v[6].Null = []byte("abcé"), []int32{2, 5, 5}, []bool{false, false, true}
	return b
}

// TestConditions holds conditions against what they are for each row by hand: t, f, or n for null.
func TestConditions(t *testing.T) {
	for source, want := range map[string]string{
		`region != "solve" || duration < 20ms`: "ttn",
		`duration < 20ms`:                      "tff",
		`20ms > duration`:                      "tff",
		`rank == 0`:                            "tnf",
		`rank == nil`:                          "ftf",
		`nil != rank`:                          "tft",
		`rank in [2, 3]`:                       "fnt",
		`rank not in [2, 3]`:                   "tnf",
		`rank == 2 || open`:                    "ftt",
		`rank == 5 && open`:                    "fnf",
		`rank == 5 && not open`:                "fff",
		`name startsWith "so"`:                 "tfn",
		`name matches "^(in|so)"`:              "ttn",
		`name not contains "i"`:                "tfn",
		`name in ["init"]`:                     "ftn",
		`name >= "j"`:                          "tfn",
		`name == lower(upper(name))`:           "ttn",
		`len(fields) == 2`:                     "ttn",
		`fields endsWith "é"`:                  "ftn",
		`value / 0 > 1`:                        "nnn",
		`abs(value) >= 0.5 && value <= 1e3`:    "ttf",
		`region % 2 == 1 == true`:              "tft",
		`region * 2 - 1 > 15`:                  "fft",
		`duration / 1ms == 30`:                 "ftf",
		`duration / 2 == 2.5ms`:                "tff",
		`-region < -7`:                         "ftt",
		`not (rank == 2) and true`:             "tnf",
		`1 < 2`:                                "ttt",
	} {
		if got := truth(t, source, false); got != want {
			t.Errorf("%s is %s, and not %s", source, got, want)
		}
		opposite := strings.NewReplacer("t", "f", "f", "t").Replace(want)
		if got := truth(t, source, true); got != opposite {
			t.Errorf("the negation of %s is %s, and not %s", source, got, opposite)
		}
	}
}

// truth computes a condition, or the conjuncts of its negation.
func truth(t *testing.T, source string, negated bool) string {
	n, err := rule.Parse(source)
	if err == nil {
		err = n.BindCondition(scope())
	}
	if err != nil {
		t.Fatal(source, err)
	}
	if negated {
		n = rule.And(n.Not().Conjuncts())
	} else {
		n = rule.And(n.Conjuncts())
	}
	v, err := n.Eval(rows())
	if err != nil {
		t.Fatal(source, err)
	}
	text := ""
	for i := range 3 {
		switch {
		case v.IsNull(i):
			text += "n"
		case v.Bools[i]:
			text += "t"
		default:
			text += "f"
		}
	}
	return text
}

// TestErrors holds that mistakes are shown where they are, with the nearest name.
func TestErrors(t *testing.T) {
	for source, want := range map[string][2]string{
		`regio == "solve"`:                 {"regio", `did you mean "region"?`},
		`open && durtion > 1ms`:            {"durtion", `did you mean "duration"`},
		`duration > 5`:                     {"duration > 5", "unit"},
		`rank < nil`:                       {"rank < nil", "nil has no order"},
		`rank + nil == 1`:                  {"nil", "nothing is computed with nil"},
		`rank && open`:                     {"rank", "conditions"},
		`rank`:                             {"rank", "a condition is wanted"},
		`name == 5`:                        {"name == 5", "cannot be compared"},
		`99999999999999999999 > rank`:      {"99999999999999999999", "too large"},
		`duration > 20parsec`:              {"20parsec", "no length of time"},
		`(open`:                            {"", "too early"},
		`open )`:                           {")", "not expected"},
		`name == "solve`:                   {`"solve`, "no end"},
		`lenn(name) == 2`:                  {"lenn(name)", `did you mean "len"?`},
		`name matches "("`:                 {`"("`, "missing"},
		`rank in 5`:                        {"5", "list"},
		`duration * duration > 1ms`:        {"duration * duration", "multiplied"},
		`rank = 1`:                         {"=", "no meaning"},
		`(duration + 1ms) > 5`:             {"(duration + 1ms) > 5", "unit"},
		`-true == open`:                    {"true", "takes numbers"},
		`duration_ns + 1 > 0`:              {"duration_ns + 1", "64 bits"},
		`region * 9223372036854775807 > 0`: {"region * 9223372036854775807", "64 bits"},
	} {
		n, err := rule.Parse(source)
		if err == nil {
			err = n.BindCondition(scope())
		}
		if err == nil {
			_, err = n.Eval(rows())
		}
		var e *rule.Error
		if !errors.As(err, &e) || source[e.At:e.End] != want[0] || !strings.Contains(e.Message, want[1]) {
			t.Errorf("%s: %v; the place should be %q, and the message have %q", source, err, want[0], want[1])
		}
	}
	_, err := rule.Parse("é == lenn")
	if err != nil {
		t.Fatal(err)
	}
	e := &rule.Error{Source: "é && x", At: 6, End: 7, Message: "bad"}
	if got, want := e.Error(), "bad\n  é && x\n       ^"; got != want {
		t.Errorf("%q, and not %q", got, want)
	}
	if _, err := rule.Parse(strings.Repeat("(", 200) + "1"); err == nil || !strings.Contains(err.Error(), "deep") {
		t.Error("deep nesting:", err)
	}
	if _, err := rule.Parse(strings.Repeat(" ", rule.MaxBytes+1)); err == nil {
		t.Error("long input is taken")
	}
}

// FuzzRule holds that no expression panics, that errors name places inside of it, and that what is computed has a value for each row.
func FuzzRule(f *testing.F) {
	for _, seed := range []string{
		`region != "solve" || duration < 20ms`, `rank not in [1, -2, 3.5]`, `not (name matches "a.*" and len(fields) > 2)`,
		`-duration * 1.5 / 2 % 3 == nil`, `abs(-9223372036854775807 - 1)`, "`x` == 'y\\n'", `1_000e3 == .5`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		n, err := rule.Parse(source)
		if err == nil {
			err = n.Bind(scope())
		}
		if err == nil && n.Type != rule.List {
			var v *rule.Values
			if v, err = n.Eval(rows()); err == nil && len(v.Null) != 0 && len(v.Null) != 3 {
				t.Fatalf("%d rows are said to be null or not", len(v.Null))
			}
		}
		var e *rule.Error
		if errors.As(err, &e) && (e.At < 0 || e.At > e.End || e.End > len(e.Source) || e.Error() == "") {
			t.Fatalf("the error is at %d to %d of %d bytes", e.At, e.End, len(source))
		}
	})
}
