package cluster

import (
	"strconv"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/encode/content"
	"github.com/pandotrace/pando/encode/shape"
)

// message returns the hash of a message.
func (k *knowledge) message(m calltree.Message) content.Hash {
	h, ok := k.messages[m]
	if !ok {
		text := "\x00rank " // no region is called so
		if m.Relative {
			text = "\x00distance "
		}
		of := content.SymbolsOf(text + strconv.FormatUint(m.Peer, 10))
		h = k.bases.Symbol(of.Enter)
		if m.Receive {
			h = k.bases.Symbol(of.Leave)
		}
		k.messages[m] = h
	}
	return h
}

// pointsOf returns the hashes of the messages among the leaves of a view, nil if groups are not by messages.
func (g *reading) pointsOf(v *shape.View) ([]content.Hash, error) {
	if g.peers == nil {
		return nil, nil
	}
	if points, ok := g.points[v]; ok {
		return points, nil
	}
	if len(g.points) >= mostViews {
		clear(g.points)
	}
	points := make([]content.Hash, v.Leaves())
	for i := range points {
		leaf, _ := v.Leaf(v.LeafID(uint32(i)))
		m, ok, err := g.peers.OfLeaf(&leaf)
		if err != nil {
			return nil, err
		}
		if ok {
			points[i] = g.know.message(m)
		}
	}
	g.points[v] = points
	return points, nil
}

// mostViews is the number of views whose messages are kept.
const mostViews = 64

// followEvents follows all events of the window.
func (g *reading) followEvents() error {
	for _, p := range g.places {
		g.budget.used -= p.spent
	}
	if err := g.begin(); err != nil {
		return err
	}
	done := int64(0)
	for b, err := range g.Window.Batches() {
		if err != nil {
			return err
		}
		p := g.place(b.Location)
		for i, kind := range b.Kinds {
			if m, ok := g.peers.OfEvent(b.Location, kind, b.Fields(i)); ok {
				p.text = p.text.Then(g.know.message(m))
				continue
			}
			if err := g.event(p, g.names.OfEvent(b.Location, kind, b.Fields(i))); err != nil {
				return err
			}
		}
		g.spend(p)
		done += int64(b.Len())
		g.progress.atLeast(g.before + done)
	}
	return nil
}
