package exchange_test

import (
	"testing"

	"github.com/alanbuscaglia/engram/internal/enginetest"
)

func TestMain(m *testing.M) { enginetest.Main(m) }
