// Package remote reads Pando files on web servers, by requests for ranges of bytes. [OpenReader] opens one; what it returns is read as a
// file on this machine is, in few rounds of requests.
//
// Programs that open no URL need not import it: package store itself uses no network.
package remote
