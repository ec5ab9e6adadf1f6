/* Reads all events of an OTF2 archive with the reference library and does nothing with them: no callback for any event,
 * one thread, one location after the other. That is the least that any program pays that reads the archive with this
 * library. Prints the number of events.
 *
 *   gcc -O2 -o otf2read otf2read.c -lopen-trace-format2      (Debian: libopen-trace-format2-dev)
 *   ./otf2read traces.otf2
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <otf2/otf2.h>

/* struct locations is the ids of all locations. */
struct locations {
    uint64_t n, room;
    OTF2_LocationRef* ids;
};

static void
check( OTF2_ErrorCode status, const char* what )
{
    if ( status != OTF2_SUCCESS )
    {
        fprintf( stderr, "otf2read: %s: %s\n", what, OTF2_Error_GetDescription( status ) );
        exit( 1 );
    }
}

static OTF2_CallbackCode
found_location( void* into, OTF2_LocationRef id, OTF2_StringRef name, OTF2_LocationType type, uint64_t events,
                OTF2_LocationGroupRef group )
{
    struct locations* all = into;
    ( void )name, ( void )type, ( void )events, ( void )group;
    if ( all->n == all->room )
    {
        all->room = 2 * all->room + 64;
        all->ids  = realloc( all->ids, all->room * sizeof *all->ids );
        if ( !all->ids )
        {
            return OTF2_CALLBACK_INTERRUPT;
        }
    }
    all->ids[ all->n++ ] = id;
    return OTF2_CALLBACK_SUCCESS;
}

/* find_locations reads the global definitions. */
static void
find_locations( OTF2_Reader* reader, struct locations* all )
{
    OTF2_GlobalDefReader*          definitions = OTF2_Reader_GetGlobalDefReader( reader );
    OTF2_GlobalDefReaderCallbacks* callbacks   = OTF2_GlobalDefReaderCallbacks_New();
    uint64_t                       n;

    check( OTF2_GlobalDefReaderCallbacks_SetLocationCallback( callbacks, found_location ), "callback of locations" );
    check( OTF2_Reader_RegisterGlobalDefCallbacks( reader, definitions, callbacks, all ), "callback of locations" );
    OTF2_GlobalDefReaderCallbacks_Delete( callbacks );
    check( OTF2_Reader_ReadAllGlobalDefinitions( reader, definitions, &n ), "global definitions" );
    check( OTF2_Reader_CloseGlobalDefReader( reader, definitions ), "global definitions" );
}

/* read_local_definitions is needed because they say how ids and times of a location are translated. */
static void
read_local_definitions( OTF2_Reader* reader, const struct locations* all )
{
    if ( OTF2_Reader_OpenDefFiles( reader ) != OTF2_SUCCESS )
    {
        return; /* there are none */
    }
    for ( uint64_t i = 0; i < all->n; i++ )
    {
        OTF2_DefReader* definitions = OTF2_Reader_GetDefReader( reader, all->ids[ i ] );
        uint64_t        n;
        if ( definitions )
        {
            check( OTF2_Reader_ReadAllLocalDefinitions( reader, definitions, &n ), "local definitions" );
            check( OTF2_Reader_CloseDefReader( reader, definitions ), "local definitions" );
        }
    }
    check( OTF2_Reader_CloseDefFiles( reader ), "local definitions" );
}

static uint64_t
read_events( OTF2_Reader* reader, const struct locations* all )
{
    uint64_t sum = 0;

    check( OTF2_Reader_OpenEvtFiles( reader ), "events" );
    for ( uint64_t i = 0; i < all->n; i++ )
    {
        OTF2_EvtReader* events = OTF2_Reader_GetEvtReader( reader, all->ids[ i ] );
        uint64_t        n      = 0;
        if ( events )
        {
            check( OTF2_Reader_ReadAllLocalEvents( reader, events, &n ), "events" );
            check( OTF2_Reader_CloseEvtReader( reader, events ), "events" );
        }
        sum += n;
    }
    check( OTF2_Reader_CloseEvtFiles( reader ), "events" );
    return sum;
}

int
main( int argc, char** argv )
{
    struct locations all = { 0, 0, NULL };
    OTF2_Reader*     reader;

    if ( argc != 2 )
    {
        fprintf( stderr, "usage: otf2read ANCHOR\n" );
        return 2;
    }
    reader = OTF2_Reader_Open( argv[ 1 ] );
    if ( !reader )
    {
        fprintf( stderr, "otf2read: %s cannot be opened\n", argv[ 1 ] );
        return 1;
    }
    check( OTF2_Reader_SetSerialCollectiveCallbacks( reader ), "serial reading" );
    find_locations( reader, &all );
    for ( uint64_t i = 0; i < all.n; i++ )
    {
        check( OTF2_Reader_SelectLocation( reader, all.ids[ i ] ), "selection of locations" );
    }
    read_local_definitions( reader, &all );
    printf( "%" PRIu64 "\n", read_events( reader, &all ) );
    check( OTF2_Reader_Close( reader ), "close" );
    free( all.ids );
    return 0;
}
