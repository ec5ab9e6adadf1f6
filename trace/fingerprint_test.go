package trace

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

// Where batches end, and whose events come first, makes no difference.
func TestFingerprintOfBatches(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 3))
		a, b := randomBatch(r, 1+r.IntN(40), false), randomBatch(r, 1+r.IntN(40), false)
		b.Location = 4
		whole, parts := NewFingerprint(&Meta{}), NewFingerprint(&Meta{})
		whole.Add(a, 0, a.Len())
		whole.Add(b, 0, b.Len())
		parts.Add(b, 0, b.Len())
		for at := 0; at < a.Len(); {
			n := r.IntN(a.Len() - at + 1)
			copied := &Batch{}
			copied.Reset(a.Location)
			copied.AppendRange(a, at, at+n, Standard)
			parts.Add(copied, 0, n)
			at += n
		}
		if whole.Sum() != parts.Sum() {
			t.Fatalf("seed %d: not the same", seed)
		}
	}
}

// The fingerprint of a location with few bytes, and of one with one more at a time, is what the documentation of [Fingerprint] says.
func TestFingerprintOfFew(t *testing.T) {
	f, stream := NewFingerprint(&Meta{}), []byte(nil)
	for n := range uint64(3 * fewBytes) {
		b := &Batch{}
		b.Reset(7)
		b.Append(KindEnter, int64(2*n), n%3)
		f.Add(b, 0, 1)
		step := uint64(4) // 2 as a varint
		if n == 0 {
			step = 0
		}
		for _, v := range []uint64{4 * uint64(KindEnter), step, n % 3} {
			stream = binary.AppendUvarint(stream, v)
		}
		of := sha256.Sum256(stream)
		want := sha256.Sum256(append(binary.AppendUvarint([]byte{7}, n+1), of[:]...))
		if f.Sum() != want {
			t.Fatalf("another sum for %d events of %d bytes", n+1, len(stream))
		}
	}
}

// Whatever is different in an event is in the fingerprint. Which of the source's instants is tick 0 is not.
func TestFingerprintTells(t *testing.T) {
	sum := func(epoch uint64, change func(*Batch)) [32]byte {
		b := &Batch{}
		b.Reset(7)
		shift := -int64(epoch)
		b.Append(KindEnter, 10+shift, 5)
		b.Append(KindUnknownEvent, 20+shift, 200, 0, b.PutText("payload"))
		b.Append(KindParameterInt, 30+shift, 1, 2)
		b.SetAttrs([]Attr{{ID: 1, Type: ValueUint8, Value: 3}})
		change(b)
		f := NewFingerprint(&Meta{Epoch: epoch})
		f.Add(b, 0, b.Len())
		return f.Sum()
	}
	same := sum(0, func(*Batch) {})
	if sum(1000, func(*Batch) {}) != same {
		t.Error("another epoch changes the fingerprint")
	}
	for what, change := range map[string]func(b *Batch){
		"kind":      func(b *Batch) { b.Kinds[0] = KindLeave },
		"time":      func(b *Batch) { b.Times[1]++ },
		"word":      func(b *Batch) { b.Words[0]++ },
		"text":      func(b *Batch) { b.Text[3]++ },
		"residual":  func(b *Batch) { b.SetResidual(1) },
		"attribute": func(b *Batch) { b.Attrs[0].Value++ },
		"type":      func(b *Batch) { b.Attrs[0].Type++ },
		"location":  func(b *Batch) { b.Location++ },
		"number":    func(b *Batch) { b.Append(KindLeave, b.Times[2], 5) },
	} {
		if sum(0, change) == same {
			t.Errorf("another %s does not change the fingerprint", what)
		}
	}
}

// BenchmarkFingerprint hashes enters, leaves and sends as they are in real traces.
func BenchmarkFingerprint(b *testing.B) {
	const n = 4096
	batch := &Batch{}
	batch.Reset(1)
	r, t := rand.New(rand.NewPCG(1, 2)), int64(0)
	for i := range int64(n) {
		t += int64(700 * r.ExpFloat64())
		switch i % 9 {
		case 4:
			batch.Append(KindMpiSend, t, 3, 0, 10, 20480)
		default:
			batch.Append(KindEnter+Kind(i%2), t, uint64(i%70))
		}
	}
	f := NewFingerprint(&Meta{})
	for b.Loop() {
		f.Add(batch, 0, n)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/event")
}
