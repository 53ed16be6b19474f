package conformance

import (
	"bufio"
	"context"
	"io"

	"bridle/internal/kernel/canon"
)

// maxLine bounds a line of the protocol.
const maxLine = 8 << 20

// Serve is the driver's side of the protocol over this project's runtime: one
// request on each line of in, one answer on each line of out, until in ends.
func Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	driver := &own{}
	lines := make(chan []byte)
	ended := make(chan error, 1)
	go func() {
		defer close(lines)
		scanner := bufio.NewScanner(in)
		scanner.Buffer(nil, maxLine)
		for scanner.Scan() {
			select {
			case lines <- append([]byte(nil), scanner.Bytes()...):
			case <-ctx.Done():
				return
			}
		}
		ended <- scanner.Err()
	}()
	err := answerAll(ctx, driver, lines, out)
	if closing := driver.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return err
	}
	return <-ended
}

func answerAll(ctx context.Context, driver Driver, lines <-chan []byte, out io.Writer) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case line, more := <-lines:
			if !more {
				return nil
			}
			answer, err := answerLine(ctx, driver, line)
			if err == nil {
				_, err = out.Write(append(answer, '\n'))
			}
			if err != nil {
				return err
			}
		}
	}
}

// answerLine answers one line; one that is no request gets an answer too.
func answerLine(ctx context.Context, driver Driver, line []byte) ([]byte, error) {
	var r Request
	if err := canon.Decode(line, &r, canon.Limits{MaxBytes: maxLine}); err != nil {
		return canon.Marshal(failed{Error: "the request cannot be read: " + err.Error()})
	}
	return driver.Do(ctx, r)
}
