package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// stoppedDoc is the answer of `stop`.
type stoppedDoc struct {
	Stopped bool `json:"stopped"` // false: none was running
	Killed  bool `json:"killed"`  // it did not end by itself
	PID     int  `json:"pid"`     // of the process that ended; 0: none
}

func (p *program) stopCommand() *cobra.Command {
	var wait time.Duration
	var force bool
	cmd := &cobra.Command{
		Use:   "stop",
		Short: "Stop the background server",
		Long: `Ask the server of this data directory to stop, and wait until it has finished its requests. If none is running, the exit
code is 0. With --force the process is killed if it does not stop in time: open requests break off, but saved data is never
lost.`,
		Example: examples("engram stop", "engram stop --wait 3s --force"),
		Args:    between(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := p.config(cmd)
			if err != nil {
				return err
			}
			was, killed, err := p.end(cmd, c, wait, force)
			if err != nil {
				return err
			}
			doc := stoppedDoc{was.Running, killed, was.PID}
			return p.answer(doc, func(b *strings.Builder) {
				switch {
				case !was.Running:
					fmt.Fprintf(b, "No server of %s is running.\n", c.DataDir)
				case killed:
					fmt.Fprintf(b, "Killed: process %d, %s\n", was.PID, was.URL)
				default:
					fmt.Fprintf(b, "Stopped: process %d, %s\n", was.PID, was.URL)
				}
			})
		},
	}
	cmd.Flags().DurationVar(&wait, "wait", stopPatience, "`time` to wait for it to stop")
	cmd.Flags().BoolVar(&force, "force", false, "kill it if it does not stop in time")
	return cmd
}
