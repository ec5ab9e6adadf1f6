package shapes_test

import (
	"testing"

	"github.com/pandotrace/pando/internal/tracetest/thrift"
)

func TestMain(m *testing.M) { thrift.Main(m) }
