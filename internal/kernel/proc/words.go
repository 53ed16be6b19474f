package proc

import (
	"encoding/binary"
	"errors"
	"io"
)

// maxMessage bounds a message between a caller and its supervisor. The kernel
// gives no program as many arguments.
const maxMessage = 64 << 20

var errMessage = errors.New("malformed message")

// writeWords sends a list of byte strings as one message: its length, then each
// string's length and bytes. Arguments and variables may hold any byte.
func writeWords(w io.Writer, words []string) error {
	var body []byte
	for _, word := range words {
		body = binary.AppendUvarint(body, uint64(len(word)))
		body = append(body, word...)
	}
	message := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	if len(body) > maxMessage {
		return errMessage
	}
	_, err := w.Write(append(message, body...))
	return err
}

// readWords receives what writeWords sent.
func readWords(r io.Reader) ([]string, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	size := binary.BigEndian.Uint32(head[:])
	if size > maxMessage {
		return nil, errMessage
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(r, body); err != nil {
		return nil, err
	}
	return parseWords(body)
}

func parseWords(body []byte) ([]string, error) {
	var words []string
	for len(body) > 0 {
		size, n := binary.Uvarint(body)
		if n <= 0 || size > uint64(len(body)-n) {
			return nil, errMessage
		}
		words = append(words, string(body[n:n+int(size)]))
		body = body[n+int(size):]
	}
	return words, nil
}
