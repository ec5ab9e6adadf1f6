package summary

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"testing"
)

// A picture of a series shows the numbers that the series has as CSV.
func TestPicture(t *testing.T) {
	f := opened(t, "otf2.mg.S.8.snapmark")
	first, last := f.Info().First, f.Info().Last
	for _, by := range []string{"region", "location", "pair", "collective"} {
		opt := Options{By: by, Limit: 5, Every: (last - first) / 7}
		_, table, _ := summaryOf(t, f, opt)
		s, err := New(f, f.All(), opt)
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.Picture()
		if err != nil {
			t.Fatal(err)
		}
		_, of := s.rows.curves(1)
		at := slices.Index(table[0], of.Name)
		if at < 0 || len(p.Curves) == 0 || len(table) != 1+len(p.Curves)*(len(p.Times)-1) {
			t.Fatalf("%s: column %s of %v, %d curves of %d intervals in %d lines", by, of.Name, table[0], len(p.Curves), len(p.Times)-1, len(table))
		}
		sum := 0.0
		for i := range len(p.Times) - 1 {
			for j := range p.Curves {
				want, err := strconv.ParseFloat(table[1+i*len(p.Curves)+j][at], 64)
				if err != nil {
					t.Fatal(err)
				}
				got := p.Curves[j].Values[i]
				if p.Percent {
					got *= 1e9 * (p.Times[i+1] - p.Times[i]) * float64(f.Info().Locations)
				}
				if math.Abs(got-want) > 1e-6*want+1 {
					t.Errorf("%s: %s in interval %d is %g, want %g", by, p.Curves[j].Name, i, got, want)
				}
				sum += want
			}
		}
		var b bytes.Buffer
		if err := p.SVG(&b, 800); err != nil || sum == 0 {
			t.Errorf("%s: %v, or all numbers are 0", by, err)
		}
	}
	s, err := New(f, f.All(), Options{})
	if err == nil {
		_, err = s.Picture()
	}
	if err == nil {
		t.Error("a summary without intervals has a picture")
	}
}
