package static

import (
	"bytes"
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write index.bin anew")

// An index of another vocabulary would find no words, or wrong ones.
func TestTheIndexOfTheBuiltInModelIsItsOwn(t *testing.T) {
	built, err := openTable(builtIn)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("index.bin", built.index.bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(builtInIndex, built.index.bytes()) {
		t.Errorf("index.bin, of %d bytes, is not the index of model.bin (write it anew with -update)", len(builtInIndex))
	}
}

func TestAnIndexOfAnotherLengthIsRefused(t *testing.T) {
	for _, file := range [][]byte{nil, builtInIndex[:len(builtInIndex)-1], append(bytes.Clone(builtInIndex), 0)} {
		if _, err := readIndex(file, (len(builtInIndex)-4)/4-1<<16); err == nil {
			t.Errorf("an index of %d bytes: got none, want an error", len(file))
		}
	}
}

func TestTheHashOfTheContinuationIsThatOfItsLetters(t *testing.T) {
	if want := hashed(hashStart, []byte(continuation)); hashContinuation != want {
		t.Errorf("got %d, want %d", uint64(hashContinuation), want)
	}
}
