package tracegen_test

import (
	"testing"

	"github.com/pandotrace/pando/internal/tracetest/thrift"
)

// TestMain spares processor time: these tests make much garbage.
func TestMain(m *testing.M) { thrift.Main(m) }
