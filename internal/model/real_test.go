package model_test

import (
	"slices"
	"testing"

	"github.com/pandotrace/pando/convert/otf2"
	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracetest"
)

// A correct program's messages have equal lengths at both ends, unless they are matched wrongly.
func TestLengthsAgree(t *testing.T) {
	lengthsAgree(t, "otf2.mg.S.8.snapmark", 3552)
}

// Here many receives complete in another order than they were posted in, so that matching by completion would not do.
func TestLengthsAgreeByPosting(t *testing.T) {
	const name = "otf2.amg.8"
	if !slices.Contains(tracetest.Larger(t), name) {
		t.Skipf("PANDO_TRACES has no %s", name)
	}
	lengthsAgree(t, name, 25997)
}

func lengthsAgree(t *testing.T, name string, messages int) {
	t.Helper()
	src, err := otf2.Open(tracetest.Anchor(t, name), otf2.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	m, err := model.Load(src)
	if err != nil {
		t.Fatal(err)
	}
	all := m.Match().Messages
	for _, x := range all {
		if x.SendLength != x.ReceiveLength {
			t.Errorf("%s: %s", name, printMessage(x))
		}
	}
	if len(all) != messages {
		t.Errorf("%s: %d messages, want %d", name, len(all), messages)
	}
}
