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
		Short: "Stop the server in the background",
		Long: `Ask the server of this data directory to end, and wait until it has: it finishes the requests under way. Where none
runs there is nothing to do, and that is no error. With --force it is ended when it has not ended in time; what it was
answering breaks off, and nothing that was saved is lost.`,
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
					fmt.Fprintf(b, "Ended by force: process %d, %s\n", was.PID, was.URL)
				default:
					fmt.Fprintf(b, "Stopped: process %d, %s\n", was.PID, was.URL)
				}
			})
		},
	}
	cmd.Flags().DurationVar(&wait, "wait", stopPatience, "how `long` it may take to end")
	cmd.Flags().BoolVar(&force, "force", false, "end it when it has not ended in time")
	return cmd
}
