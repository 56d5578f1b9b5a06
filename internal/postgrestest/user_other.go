//go:build !unix

package postgrestest

import (
	"errors"
	"os/exec"
)

// ordinary fails: the cluster is started by a shell.
func ordinary(*exec.Cmd, string) error {
	return errors.New("set ENGRAM_TEST_POSTGRES_URL on this system")
}
