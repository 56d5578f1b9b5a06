package source

import (
	"bufio"
	"errors"
	"io"
)

// MaxLine is the longest JSON line, in bytes; the longest memory fits in any encoding.
const MaxLine = 8 << 20

// EachLine calls fn with each line of r, from 1, without its end. A line longer than maxLine is
// cut, with long true.
func EachLine(r io.Reader, fn func(number int, line []byte, long bool) error) error {
	in := bufio.NewReaderSize(r, 1<<16)
	var line []byte
	for number := 1; ; number++ {
		line = line[:0]
		long := false
		for {
			part, err := in.ReadSlice('\n')
			if room := MaxLine - len(line); len(part) > room {
				part, long = part[:room], true
			}
			line = append(line, part...)
			if errors.Is(err, bufio.ErrBufferFull) {
				continue
			}
			if err != nil && !errors.Is(err, io.EOF) {
				return err
			}
			if err != nil { // the last line may have no end
				if len(line) == 0 {
					return nil
				}
				return fn(number, line, long)
			}
			break
		}
		if err := fn(number, line, long); err != nil {
			return err
		}
	}
}

// ErrEnough stops reading lines.
var ErrEnough = errors.New("enough was read")
