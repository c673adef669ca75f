package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	crand "crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// endpointsFile is the list that the fleet wrote, an item a string.
type endpointsFile struct {
	head  string
	items []string
}

func readEndpoints(path string) (endpointsFile, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return endpointsFile{}, err
	}
	parts := strings.Split(string(b), "  - ")
	if len(parts) < 3 {
		return endpointsFile{}, errors.New(path + ": at least two endpoints are wanted")
	}
	return endpointsFile{parts[0], parts[1:]}, nil
}

func (e endpointsFile) text(items []string) string {
	return e.head + "  - " + strings.Join(items, "  - ")
}

// some leaves at least half of them.
func (e endpointsFile) some(r *rand.Rand) string {
	items := make([]string, 0, len(e.items))
	for _, i := range r.Perm(len(e.items))[:len(e.items)/2+r.IntN(len(e.items)/2+1)] {
		items = append(items, e.items[i])
	}
	return e.text(items)
}

// replace gives a file another text in one step, so that nobody reads half of it.
func replace(path, text string) error {
	tmp := path + ".new"
	if err := os.WriteFile(tmp, []byte(text), 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}

func runPair(args []string) error {
	if len(args) != 1 {
		return errors.New("pair FOLDER")
	}
	return renew(args[0])
}

// renew writes a new self-signed pair. Certificate and key change one after the other, so the picker may meet a pair that
// does not fit for a moment.
func renew(folder string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), crand.Reader)
	if err != nil {
		return err
	}
	now := time.Now()
	template := &x509.Certificate{SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: "picker"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(24 * time.Hour), DNSNames: []string{"localhost"}}
	der, err := x509.CreateCertificate(crand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return err
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	crt := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	pem8 := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})
	if err := replace(filepath.Join(folder, "tls.key"), string(pem8)); err != nil {
		return err
	}
	return replace(filepath.Join(folder, "tls.crt"), string(crt))
}
