package record

import "context"

type locationKey struct{}

// With returns a context that carries a location.
func With(ctx context.Context, l *Location) context.Context {
	return context.WithValue(ctx, locationKey{}, l)
}

// From returns the location that a context carries, nil if it carries none.
func From(ctx context.Context) *Location {
	l, _ := ctx.Value(locationKey{}).(*Location)
	return l
}

// Span is a call that goes on until its End.
type Span struct{ l *Location }

// In enters a region on the location that the context carries. Without one it does nothing: a library may call it in any program.
//
//	defer record.In(ctx, parse).End()
func In(ctx context.Context, region Region) Span {
	l := From(ctx)
	if l != nil {
		l.Enter(region)
	}
	return Span{l}
}

// End leaves the region.
func (s Span) End() {
	if s.l != nil {
		s.l.Leave()
	}
}
