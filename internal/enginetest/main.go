package enginetest

import (
	"flag"
	"testing"
)

// Main runs the tests of a package, a property with 40 examples: opening a store takes a tenth of a second under the
// race detector. A flag overrides this.
func Main(m *testing.M) {
	_ = flag.Set("rapid.checks", "40") // there is no such flag without properties
	m.Run()
}
