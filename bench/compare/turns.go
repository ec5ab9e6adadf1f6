package main

// contender is one way to do a piece of work. A turn's number says which piece.
type contender[T any] struct {
	name string
	run  func(turn int) (T, error)
}

// inTurns lets all contenders do the same work one after the other, again and again, so that whatever else the machine
// is busy with meets all of them alike; with each turn another one is the first. It returns what they measured, by
// contender and turn.
func inTurns[T any](turns int, all []contender[T]) ([][]T, error) {
	measured := make([][]T, len(all))
	for turn := range turns {
		for i := range all {
			at := (turn + i) % len(all)
			m, err := all[at].run(turn)
			if err != nil {
				return nil, contenderError{all[at].name, err}
			}
			measured[at] = append(measured[at], m)
		}
	}
	return measured, nil
}

type contenderError struct {
	name string
	err  error
}

func (e contenderError) Error() string { return e.name + ": " + e.err.Error() }

func (e contenderError) Unwrap() error { return e.err }
