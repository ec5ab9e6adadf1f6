// Package timestamppb has the message of a time.
package timestamppb

import "time"

// Timestamp is a time.
type Timestamp struct{}

// AsTime is the zero time.
func (*Timestamp) AsTime() time.Time { return time.Time{} }
