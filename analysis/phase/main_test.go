package phase_test

import (
	"testing"

	"github.com/pandotrace/pando/internal/tracetest/thrift"
)

// TestMain spares processor time: these tests write many small files.
func TestMain(m *testing.M) { thrift.Main(m) }
