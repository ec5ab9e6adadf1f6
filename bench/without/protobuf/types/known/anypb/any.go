// Package anypb has the message that wraps others.
package anypb

import (
	"errors"

	"google.golang.org/protobuf/proto"
)

// Any is a wrapped message.
type Any struct{ TypeUrl string }

// GetTypeUrl returns the type of the message.
func (a *Any) GetTypeUrl() string { return a.TypeUrl }

// UnmarshalNew refuses.
func (*Any) UnmarshalNew() (proto.Message, error) {
	return nil, errors.New("protobuf is not part of this program")
}
