// Package queries writes the answers to queries: as text for people, and as tables in all formats of package columnar. What a query is, and how its
// answer is found, is in package query of analysis.
package queries
