//go:build !unix

package sqlite_test

import (
	"testing"
	"time"
)

// cpu is not measured here.
func cpu(testing.TB) time.Duration { return 0 }
