// Package durationpb has the message of a duration.
package durationpb

import "time"

// Duration is a duration.
type Duration struct{}

// AsDuration is 0.
func (*Duration) AsDuration() time.Duration { return 0 }
