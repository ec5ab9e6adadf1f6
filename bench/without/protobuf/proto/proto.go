// Package proto stands in a release for google.golang.org/protobuf, of which the program never writes or reads a message: the Parquet
// library links it for rows of such messages, and our tables have none. The module has what that library refers to, and refuses to work.
package proto

import (
	"errors"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// Message is a message that knows its fields. No type of this module is one.
type Message interface {
	ProtoReflect() protoreflect.Message // the fields
}

// Size is 0.
func Size(any) int { return 0 }

// Marshal refuses.
func Marshal(any) ([]byte, error) { return nil, errors.New("protobuf is not part of this program") }
