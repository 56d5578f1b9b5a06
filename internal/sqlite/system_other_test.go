//go:build !unix

package sqlite_test

import (
	"errors"
	"testing"
	"time"
)

// cpu is not measured here.
func cpu(testing.TB) time.Duration { return 0 }

// limitFiles is not possible here.
func limitFiles(uint64) error { return errors.ErrUnsupported }
