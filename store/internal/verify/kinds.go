package verify

import (
	"bytes"

	"github.com/pandotrace/pando/encode/records"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/trace"
)

// specifications holds the kinds block against the specifications that readers use, those of the registry and of the meta block. A block
// that says something else misleads a person, and a reader to whom the kinds are unknown.
func (v *deepVerifier) specifications() error {
	for _, e := range v.r.Root().Entries {
		if e.Kind != format.BlockKinds {
			continue
		}
		b, err := v.r.Block(e.Kind, e.Ref)
		if err != nil {
			return err
		}
		told, err := records.ReadKinds(b)
		if err != nil {
			return err
		}
		for _, s := range told {
			used := v.r.Meta().Kinds.Spec(s.ID)
			if !bytes.Equal(records.AppendKinds(nil, []*trace.Spec{s}), records.AppendKinds(nil, []*trace.Spec{used})) {
				v.problem(int64(e.Ref.Offset), format.Corruptf("kinds block", -1, "kind %s is not described as it is read", used.Name))
			}
		}
	}
	return nil
}
